// What --help says of credentials of repositories in the environment. They are checked in credential-faults.ts, which loads more.

export const credentialHelp = `
Credentials of git repositories, Helm repositories and registries come from Argo CD's Secrets in the cluster, and from variables:
  HOMEOSTAT_REPO_URL           what they are for, with all below it: https://…, ssh://…, user@host:path or oci://…
  HOMEOSTAT_REPO_TOKEN         a token (or HOMEOSTAT_REPO_PASSWORD), with HOMEOSTAT_REPO_USERNAME where the name matters
  HOMEOSTAT_REPO_BEARER_TOKEN  a token that is sent as such
  HOMEOSTAT_REPO_SSH_KEY       a private key, for ssh
  HOMEOSTAT_REPO_TOKEN_FILE    the file that holds it; so for PASSWORD, BEARER_TOKEN and SSH_KEY
For several: HOMEOSTAT_REPO_TEAM_URL with HOMEOSTAT_REPO_TEAM_TOKEN, and so on with any name.`
