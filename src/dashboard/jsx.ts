/** What markup is built into: esbuild adds this to each file that has some. */

export { Fragment, h } from 'preact';
