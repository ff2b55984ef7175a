// The words of `helm template` for an Application. Pure. Precedence from low to high, as in Argo CD: values files, values or
// valuesObject, parameters.

import { stringify } from 'yaml'
import type { HelmSource } from '#kinds'
import { type Environment, substitute } from '../build-environment.ts'

export interface TemplateInput {
  readonly helm: HelmSource
  readonly environment: Environment
  readonly variables: Readonly<Record<string, string>>
  /** Values files in the order in which they are taken. */
  readonly values: readonly string[]
  /** `name=file`. */
  readonly fileParameters: readonly string[]
}

export function templateArguments({
  helm,
  environment,
  variables,
  values,
  fileParameters,
}: TemplateInput): readonly string[] {
  const namespace = isGiven(helm.namespace) ? helm.namespace : environment.app.namespace
  return [
    'template',
    '.',
    '--name-template',
    isGiven(helm.releaseName) ? helm.releaseName : environment.app.name,
    ...(namespace === '' ? [] : ['--namespace', namespace]),
    '--kube-version',
    kubeVersionOf(helm, environment),
    ...parametersOf(helm, variables),
    ...fileParameters.flatMap((each) => ['--set-file', each]),
    ...values.flatMap((each) => ['--values', each]),
    ...apiVersionsOf(helm, environment).flatMap((each) => ['--api-versions', each]),
    ...(helm.skipCrds === true ? [] : ['--include-crds']),
    ...(helm.skipSchemaValidation === true ? ['--skip-schema-validation'] : []),
    ...(helm.skipTests === true ? ['--skip-tests'] : []),
  ]
}

export const kubeVersionOf = ({ kubeVersion }: HelmSource, { capabilities }: Environment): string =>
  isGiven(kubeVersion) ? kubeVersion : capabilities.kubeVersion

export const apiVersionsOf = ({ apiVersions = [] }: HelmSource, { capabilities }: Environment): readonly string[] =>
  apiVersions.length > 0 ? apiVersions : capabilities.apiVersions

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== ''

/** Of parameters with one name the last one counts. */
function parametersOf({ parameters = [] }: HelmSource, variables: Readonly<Record<string, string>>): readonly string[] {
  const byName = new Map<string, readonly string[]>()
  for (const { name = '', value = '', forceString } of parameters) {
    const text = `${name}=${escapeCommas(substitute(value, variables))}`
    byName.set(name, [forceString === true ? '--set-string' : '--set', text])
  }
  return [...byName.values()].flat()
}

/** A comma would begin the next parameter; in `{a,b}`, helm's list, it stays what it is. */
export const escapeCommas = (value: string): string =>
  value.startsWith('{') && value.endsWith('}') ? value : value.replace(/(?<!\\),/g, '\\,')

/** What the Application itself gives as values, as a YAML text. */
export function givenValues({ valuesObject, values }: HelmSource): string | undefined {
  if (valuesObject !== undefined && Object.keys(valuesObject).length > 0)
    return stringify(valuesObject, { version: '1.1', lineWidth: 0 })
  return isGiven(values) ? values : undefined
}
