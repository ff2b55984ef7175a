// Accept headers to representations, with the refusals that a real 1.34 API server gave.
import { describe, expect, it } from 'vitest'
import { negotiate } from './accept.ts'
import { routeOf, type Target } from './route.ts'
import { toYaml } from './yaml.ts'

function target(url: string): Target {
  const route = routeOf('GET', url)
  if (route.type !== 'request') throw new Error(url)
  return route.target
}
const list = target('/api/v1/namespaces/a/configmaps')
const item = target('/api/v1/namespaces/a/configmaps/c')
const watch = target('/api/v1/namespaces/a/configmaps?watch=1')
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

function brief(header: string | undefined, of: Target): string {
  try {
    const { format, representation } = negotiate(header, of)
    const { as, metaVersion, aggregatedDiscovery } = representation
    return [format, as, metaVersion, aggregatedDiscovery].filter(Boolean).join(' ')
  } catch (error) {
    return (error as Error).message.replace(/\n+/g, ' ')
  }
}

describe('negotiate', () => {
  it.each([
    [undefined, list, 'json object'],
    ['*/*', list, 'json object'],
    ['application/*', list, 'json object'],
    ['application/json', list, 'json object'],
    ['application/yaml', list, 'yaml object'],
    ['application/json, */*', list, 'json object'],
    [`${table},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`, list, 'json table v1'],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', watch, 'json table v1beta1'],
    ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', item, 'json object'],
    ['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', list, 'json partial v1'],
    [
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      watch,
      'json partial v1',
    ],
    ['application/vnd.kubernetes.protobuf,application/json', list, 'json object'],
    ['application/yaml;q=0.5,application/json;q=0.9', list, 'json object'],
    ['application/json;stream=watch', watch, 'json object'],
    [
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
      target('/apis'),
      'json object v2',
    ],
    ['application/json', target('/apis'), 'json object'],
    ['text/html', target('/healthz'), 'json object'],
    ['text/plain', target('/api/v1/namespaces/a/pods/p/log'), 'json object'],
    [
      'application/xml',
      list,
      '406: Not Acceptable Available representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    ],
    [
      'text/html',
      item,
      '406: Not Acceptable Available representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'application/json;as=Table;v=v9;g=meta.k8s.io',
      item,
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'application/vnd.kubernetes.protobuf',
      item,
      'only the following media types are accepted: application/json, application/yaml',
    ],
    [
      'application/vnd.kubernetes.protobuf;stream=watch',
      watch,
      'only the following media types are accepted: application/json;stream=watch',
    ],
    [
      'application/yaml',
      watch,
      'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    ],
  ])('%s', (header, of, expected) => {
    expect(brief(header, of)).toBe(expected)
  })
})

describe('OpenAPI v2', () => {
  it.each([
    ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'protobuf'],
    ['application/com.github.proto-openapi.spec.v2.v1.0+protobuf, application/json;q=0.5', 'protobuf'],
    ['application/json, application/com.github.proto-openapi.spec.v2.v1.0+protobuf;q=0.5', 'json'],
    ['*/*', 'json'],
    ['application/yaml', undefined],
  ])('is given in the first form that the client takes: %s', (header, form) =>
    expect(negotiate(header, target('/openapi/v2')).representation.openApiV2).toBe(form),
  )

  it('no other document is protobuf', () => {
    expect(() =>
      negotiate('application/com.github.proto-openapi.spec.v2@v1.0+protobuf', target('/openapi/v3')),
    ).toThrow(/only the following media types/)
  })
})

describe('toYaml', () => {
  it('writes as Kubernetes does', () => {
    const status = {
      kind: 'Status',
      code: 404,
      list: [{ b: 1, a: '1' }, 'yes'],
      metadata: {},
      text: 'a\nb\n',
      no: 'no',
    }
    expect(toYaml(status)).toBe(
      'code: 404\nkind: Status\nlist:\n- a: "1"\n  b: 1\n- "yes"\nmetadata: {}\n"no": "no"\ntext: |\n  a\n  b\n',
    )
  })
})
