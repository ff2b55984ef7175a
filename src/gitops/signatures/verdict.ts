// What is known of a signature. A good one says no more than that somebody holds the key: who may sign is another's question.

export interface SignedText {
  readonly payload: Buffer
  /** In ASCII armour. */
  readonly signature: string
}

export type Verdict =
  /** `names`: fingerprints by which the key may be allowed. */
  | { readonly result: 'good'; readonly cipher: string; readonly keyId: string; readonly names: readonly string[] }
  | { readonly result: 'invalid'; readonly cipher: string; readonly keyId: string; readonly message: string }
  /** Nobody has given us the key. */
  | { readonly result: 'unknown'; readonly keyId: string }
  /** It is no signature that can be checked here. */
  | { readonly result: 'unreadable'; readonly message: string }
