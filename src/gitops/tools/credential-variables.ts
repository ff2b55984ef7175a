// Variables of the environment that hold credentials of repositories. Sources read them; no program that is started sees them.

export const credentialPrefix = 'HOMEOSTAT_REPO_'

type Environment<Value> = Readonly<Record<string, Value>>

export const withoutCredentialVariables = <Value>(environment: Environment<Value>): Environment<Value> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith(credentialPrefix)))
