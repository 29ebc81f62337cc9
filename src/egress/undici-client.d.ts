/** undici's client without the rest of the package: fetch, mocks, caches and proxies are half of its code. */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}
