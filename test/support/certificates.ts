// A certificate request and a certificate that are what they say, for tests that are about neither. No key belongs to them.

/** Of `system:node:node-0` in `system:nodes`, signed with its key. */
export const requestPem = `-----BEGIN CERTIFICATE REQUEST-----
MIHvMIGWAgEAMDQxFTATBgNVBAoMDHN5c3RlbTpub2RlczEbMBkGA1UEAwwSc3lz
dGVtOm5vZGU6bm9kZS0wMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEhxaVbju/
jL3e8sbM4D9gs6VEAmUN3RF1PeXtbSirZWTyLkKYgQ1kgnExgfVTjyKsZu8IoiIs
N4uNicl5QnGLu6AAMAoGCCqGSM49BAMCA0gAMEUCIEdcYkV8mOWdBkUI/xTXky28
rOKm2ldCaDQky+KOdtJcAiEAqEaZ7iJbj7Q96jCnpAE+vU/lcerVtQnmjn1NLTaQ
zLs=
-----END CERTIFICATE REQUEST-----
`

export const certificatePem = `-----BEGIN CERTIFICATE-----
MIIBbjCCAROgAwIBAgIUVDy+QcbvegrN/zsnVz+Us44Yw1swCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYzAeFw0yNjExMzAxNzM5MzVaFw0zNjExMjcxNzM5MzVaMAwx
CjAIBgNVBAMMAWMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQM45zkvXywu40z
pbNxta4oimF6HHFrdFkDvxWW8NwYxnqCQp4/jwfAfOcibF3WI9ubLbCFohD0K2H2
GsSqOeoWo1MwUTAdBgNVHQ4EFgQUPeT5OypvYUfB9X1s/SDh59/kPoQwHwYDVR0j
BBgwFoAUPeT5OypvYUfB9X1s/SDh59/kPoQwDwYDVR0TAQH/BAUwAwEB/zAKBggq
hkjOPQQDAgNJADBGAiEAtlxgKYy1tqIGj5RCShdNEPVbdFr/3an7CTQTnLUx2fgC
IQCgCGOnsyh1jVQPLEXzUPW8plN8RtD0sz8p2DoRUV/v7A==
-----END CERTIFICATE-----
`
