// Who we are at a server, where that is not said once and for all: credentials that are fetched, end, and are fetched anew.

export interface Credential {
  readonly token?: string
  /** PEM, both or none. */
  readonly clientCertificate?: string
  readonly clientKey?: string
}

export interface SignIn {
  /** What is valid now. Throws where there is nothing to be shown. */
  credential(signal: AbortSignal): Promise<Credential>
  /** The server does not accept it (any more). */
  refused(credential: Credential): void
}
