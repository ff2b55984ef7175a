// The scmProvider generator over AWS CodeCommit, against a server that plays AWS: what is asked, with which signature, and what
// becomes of the answers.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { signedHeaders } from '#gitops/web'
import { Application, ApplicationSet } from '#kinds'
import { type Asked, type ProviderServer, type Reply, startProviderServer } from './provider-server.ts'
import { type Lab, startLab } from './reconciler.ts'

let lab: Lab | undefined
let server: ProviderServer
type Answer = (input: Readonly<Record<string, unknown>>, asked: Asked) => Reply
let answers: Record<string, Answer>
beforeEach(async () => {
  answers = {
    'CodeCommit_20150413.GetRepository': ({ repositoryName }) => ({
      body: { repositoryMetadata: repository(String(repositoryName)) },
    }),
  }
  server = await startProviderServer({
    'POST /': (asked: Asked) => {
      const target = asked.headers['x-amz-target']
      const isForm = target === undefined
      const answer = answers[isForm ? 'AssumeRole' : String(target)]
      return (
        answer?.(isForm ? {} : (JSON.parse(asked.body) as object as Record<string, unknown>), asked) ?? { status: 500 }
      )
    },
  })
})
afterEach(async () => {
  await lab?.stop()
  lab = undefined
  await server.close()
})

const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'very-secret-key' }
const environment = () => ({ ...keys, AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: server.url })

const repository = (name: string) => ({
  accountId: '111111111111',
  repositoryId: `id-${name}`,
  repositoryName: name,
  ...(name === 'empty' ? {} : { defaultBranch: 'main' }),
  cloneUrlHttp: `https://git-codecommit.eu-central-1.amazonaws.com/v1/repos/${name}`,
  cloneUrlSsh: `ssh://git-codecommit.eu-central-1.amazonaws.com/v1/repos/${name}`,
})

async function createSet(awsCodeCommit: object, more: object = {}, aws: Record<string, string> | null = environment()) {
  lab = await startLab(aws === null ? {} : { aws })
  await lab.client.create(ApplicationSet, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'set', namespace: 'argocd' },
    spec: {
      goTemplate: true,
      generators: [{ scmProvider: { awsCodeCommit, ...more } }],
      template: {
        metadata: { name: '{{ .repository }}-{{ .branchNormalized }}', annotations: { params: '{{ . | toJson }}' } },
        spec: {
          project: 'default',
          source: { repoURL: '{{ .url }}', path: '.' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        },
      },
    },
  } as unknown as ApplicationSet)
}

const fault = async (): Promise<string> => {
  const set = await lab?.find(ApplicationSet, { namespace: 'argocd', name: 'set' })
  const found = set?.status?.conditions?.find(({ type }) => type === 'ErrorOccurred')
  return found?.status === 'True' ? found.message : ''
}
async function generated(count: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const list = async () => (await lab?.client.list(Application, { namespace: 'argocd' }))?.items ?? []
  await lab?.until(async () => (await fault()) !== '' || (await list()).length === count)
  expect(await fault()).toBe('')
  return (await list()).map(({ metadata }) => JSON.parse(metadata.annotations?.['params'] ?? '{}'))
}
const told = async (message: RegExp): Promise<void> => {
  await lab?.until(async () => message.test(await fault()))
  expect(await fault()).not.toContain('very-secret-key')
}

/** What the server was shown is what the keys sign. */
function expectSigned(asked: Asked | undefined, secretAccessKey: string, sessionToken?: string): void {
  const { authorization = '', 'x-amz-date': time = '' } = (asked?.headers ?? {}) as Record<string, string>
  const [, accessKeyId = '', region = '', service = ''] =
    /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)\/aws4_request/.exec(authorization) ?? []
  const at = new Date(String(time).replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z'))
  const names = ['content-type', 'x-amz-target'].filter((name) => asked?.headers[name] !== undefined)
  const headers = Object.fromEntries(names.map((name) => [name, String(asked?.headers[name])]))
  const request = { method: 'POST', url: new URL(server.url), headers, body: asked?.body ?? '' }
  const signed = signedHeaders(request, { accessKeyId, secretAccessKey, sessionToken }, { region, service, at })
  expect(authorization).toBe(signed.authorization)
  expect(region).toBe('eu-central-1')
}

test('all repositories of the region, page by page, by their default branches', async () => {
  answers['CodeCommit_20150413.ListRepositories'] = ({ nextToken }) => ({
    body:
      nextToken === undefined
        ? { repositories: [{ repositoryName: 'app' }, { repositoryName: 'empty' }], nextToken: 'more' }
        : { repositories: [{ repositoryName: 'web' }] },
  })
  await createSet({})
  expect(await generated(2)).toEqual(
    ['app', 'web'].map((name) => ({
      organization: '111111111111',
      repository: name,
      repository_id: `id-${name}`,
      url: repository(name).cloneUrlSsh,
      ...{ branch: 'main', branchNormalized: 'main', sha: '', short_sha: '', short_sha_7: '', labels: '' },
    })),
  )
  const asked = server.asked.filter(({ method }) => method === 'POST')
  for (const each of asked) expectSigned(each, keys.AWS_SECRET_ACCESS_KEY)
  expect(JSON.stringify(server.asked)).not.toContain('very-secret-key')
})

test('those with tags, all branches, by https with FIPS, filtered by paths', async () => {
  answers['ResourceGroupsTaggingAPI_20170126.GetResources'] = ({ TagFilters, ResourceTypeFilters }) => {
    expect([TagFilters, ResourceTypeFilters]).toEqual([
      [{ Key: 'team', Values: ['a', 'b'] }, { Key: 'ready' }],
      ['codecommit:repository'],
    ])
    const ResourceTagMappingList = [{ ResourceARN: 'arn:aws:codecommit:eu-central-1:111111111111:app' }]
    return { body: { PaginationToken: '', ResourceTagMappingList } }
  }
  answers['CodeCommit_20150413.ListBranches'] = ({ nextToken }) => ({
    body: nextToken === undefined ? { branches: ['main', 'gone'], nextToken: 'x' } : { branches: ['feature/x'] },
  })
  answers['CodeCommit_20150413.GetFolder'] = ({ commitSpecifier, folderPath, repositoryName }) => {
    expect([folderPath, repositoryName]).toEqual(['/deploy', 'app'])
    if (commitSpecifier === 'gone')
      return { status: 400, body: { __type: 'com.amazonaws#CommitDoesNotExistException', message: 'no' } }
    return { body: { subFolders: [{ relativePath: commitSpecifier === 'main' ? 'prod' : 'test' }], files: [] } }
  }
  const tagFilters = [{ key: 'team', value: 'a' }, { key: 'ready' }, { key: 'team', value: 'b' }]
  const filters = [{ pathsExist: ['deploy/prod/'] }]
  await createSet({ allBranches: true, tagFilters }, { filters, cloneProtocol: 'https-fips' })
  expect(await generated(1)).toMatchObject([
    { branch: 'main', url: 'https://git-codecommit-fips.eu-central-1.amazonaws.com/v1/repos/app' },
  ])
})

test('with the keys of a role', async () => {
  answers['AssumeRole'] = (_, { body }) => {
    expect(Object.fromEntries(new URLSearchParams(body))).toMatchObject({ Action: 'AssumeRole', RoleArn: 'arn:role' })
    const given =
      '<AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>of-role</SecretAccessKey><SessionToken>s</SessionToken>'
    return { body: `<AssumeRoleResponse><Credentials>${given}</Credentials></AssumeRoleResponse>` }
  }
  answers['CodeCommit_20150413.ListRepositories'] = () => ({ body: { repositories: [{ repositoryName: 'app' }] } })
  await createSet({ role: 'arn:role' })
  await generated(1)
  const [first, ...others] = server.asked.filter(({ method }) => method === 'POST')
  expectSigned(first, keys.AWS_SECRET_ACCESS_KEY)
  for (const each of others) expectSigned(each, 'of-role', 's')
})

test('nobody’s keys are used without the operator’s leave, and what is missing is told', async () => {
  await createSet({}, {}, null)
  await told(/no generator may use your AWS keys unless homeostat is started with --aws/)
  expect(server.asked).toEqual([])
})

test.each<[string, object, object, RegExp]>([
  ['no keys', {}, { AWS_SECRET_ACCESS_KEY: '' }, /there are no keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/],
  ['no region', {}, { AWS_REGION: '' }, /no region: set region, or AWS_REGION/],
  ['a region that leads elsewhere', { region: 'evil.example/' }, {}, /region is no name of a region/],
  ['what AWS says', {}, {}, /AWS: CodeCommit ListRepositories answered 400 UnrecognizedClientException$/],
])('is told: %s', async (_, block, more, message) => {
  answers['CodeCommit_20150413.ListRepositories'] = () => ({
    status: 400,
    body: { __type: 'UnrecognizedClientException', message: 'the key very-secret-key is not known' },
  })
  await createSet(block, {}, { ...environment(), ...more })
  await told(message)
})
