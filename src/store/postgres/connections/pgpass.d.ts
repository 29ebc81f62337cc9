/** The types of a package that has none. `pg` uses it too. */

declare module 'pgpass' {
  /** What the password is for. */
  export interface Login {
    readonly host: string;
    readonly port: number;
    readonly database?: string | undefined;
    readonly user?: string | undefined;
  }

  /** Finds a password. */
  export default function pgpass(login: Login, found: (password: string | undefined) => void): void;
}
