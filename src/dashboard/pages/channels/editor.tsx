/** To be built. */

/** The page. */
export function ChannelEditor(props: { id?: string; jobId?: string }) {
  return <p>To be built. {props.id}</p>;
}
