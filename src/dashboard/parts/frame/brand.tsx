/** The name of this program, and of the server that the browser is connected to. */

/** Brand and host in one line. */
export function Brand() {
  return (
    <p class="brand">
      <b>jobd</b> <span class="quiet">{location.host}</span>
    </p>
  );
}
