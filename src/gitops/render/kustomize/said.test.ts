import { expect, test } from 'vitest'
import { saidByKustomize } from './said.ts'

test.each([
  ['error: accumulating resources: missing.yaml', 'accumulating resources: missing.yaml'],
  ['"command failed" err="no \\"values.yaml\\" there"', 'no "values.yaml" there'],
  [
    "\"command failed\" err=<\n\tError: template: web/a.yaml:1:2: bad\n\n\tUse --debug flag to render out invalid YAML\n\t: unable to run: 'bin/helm template' with env=[HELM_CONFIG_HOME=/tmp/x-123/helm] (is 'bin/helm' installed?): exit status 1\n >",
    'template: web/a.yaml:1:2: bad',
  ],
])('%j', (stderr, said) => expect(saidByKustomize(stderr)).toBe(said))
