/** To be built. */

/** The page. */
export function RunPage(props: { id?: string; jobId?: string }) {
  return <p>To be built. {props.id}</p>;
}
