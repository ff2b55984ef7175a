// What is known of public images, in the words of a WorkloadProfile. The first that says a field counts; what none says is
// read from the container's command (default-workloads.ts). Objects in the cluster come before all of these.

import type { ProfileRun, WorkloadProfileSpec } from '#kinds'

export interface BuiltInProfile extends WorkloadProfileSpec {
  readonly name: string
  /** Only where the manifest leaves the image's own command as it is (arguments may be given). */
  readonly ownCommand?: boolean
  /** Only where nobody keeps the container's input open (`stdin`): it ends by reading the end of it. */
  readonly withoutInput?: boolean
}

const mib = (amount: number): readonly { readonly value: string }[] => [{ value: `${amount}Mi` }]
const milli = (amount: number): readonly { readonly value: string }[] => [{ value: `${amount}m` }]
const accessLine = '10.244.0.1 - - "GET / HTTP/1.1" 200 615 "-" "kube-probe/1.34"'
/** Images whose command is a shell or an interpreter. */
const interactive = [
  ...['busybox', 'registry.k8s.io/busybox', 'alpine', 'bash', 'ubuntu', 'debian', 'buildpack-deps', 'archlinux'],
  ...['centos', 'fedora', 'rockylinux', 'almalinux', 'oraclelinux', 'amazonlinux', 'opensuse/*', 'photon'],
  ...['*/centos/centos', '*/fedora/fedora', '*/amazonlinux/amazonlinux', 'redhat/ubi*', '*/ubi[789]*/ubi*'],
  ...['registry.access.redhat.com/ubi*', 'cgr.dev/chainguard/wolfi-base', 'nicolaka/netshoot', 'alpine/k8s'],
  ...['python', 'pypy', 'node', 'ruby', 'perl', 'golang', 'rust', 'gcc', 'php:*cli*', 'julia', 'r-base', 'erlang'],
  ...['elixir', 'haskell', 'openjdk', 'eclipse-temurin', 'amazoncorretto', 'maven', 'gradle'],
  ...['mcr.microsoft.com/dotnet/sdk', 'mcr.microsoft.com/powershell'],
]

/** A server: what it says at its start, what it uses, how fast it ends. */
const server = (
  name: string,
  images: readonly string[],
  uses: {
    readonly cpu: number
    readonly memory: number
    readonly endsAfter: number
    readonly says: readonly string[]
    readonly repeats?: string
  },
): BuiltInProfile => ({
  name,
  ownCommand: true,
  match: { images },
  container: {
    onSigterm: { exitCode: 0, afterSeconds: uses.endsAfter },
    usage: { cpu: milli(uses.cpu), memory: mib(uses.memory) },
    ...(uses.says.length === 0
      ? {}
      : {
          logs: [
            ...uses.says.map((text) => ({ text })),
            ...(uses.repeats === undefined ? [] : [{ afterSeconds: 5, everySeconds: 10, text: uses.repeats }]),
          ],
        }),
  },
})

/** A database that does not start without being told a password, whatever options its server is given. */
const wantsPassword = (
  name: string,
  images: readonly string[],
  { withoutEnv, server: command, says }: { withoutEnv: readonly string[]; server: string; says: string },
): BuiltInProfile => ({
  name: `${name}-without-password`,
  ownCommand: true,
  match: { images, withoutEnv, commands: ['', '-*', command, `${command} *`] },
  container: { runs: [{ exitCode: 1, afterSeconds: 0.4, logTail: says }] },
})

/** A tool that does what it is told and ends. */
const tool = (
  name: string,
  images: readonly string[],
  match: { readonly commands?: readonly string[] },
  run: ProfileRun,
): BuiltInProfile => ({
  name,
  ownCommand: true,
  match: { images, ...match },
  container: { runs: [run] },
})

const kubectlImages = ['bitnami/kubectl', 'registry.k8s.io/kubectl', 'rancher/kubectl', 'portainer/kubectl-shell']
const kubectlVerbs = 'get apply create delete patch rollout scale label annotate describe version config set run exec'

export const builtInProfiles: readonly BuiltInProfile[] = [
  {
    name: 'pause',
    match: { images: ['registry.k8s.io/pause', 'k8s.gcr.io/pause', 'gcr.io/google_containers/pause', 'pause'] },
    container: {
      runs: [{ forever: true }],
      onSigterm: { exitCode: 0, afterSeconds: 0.05 },
      usage: { cpu: milli(0), memory: mib(1) },
    },
  },
  { name: 'pause-image', match: { images: ['registry.k8s.io/pause'] }, image: { present: true, sizeBytes: 320_368 } },
  {
    name: 'hello-world',
    match: { images: ['hello-world'], commands: [''] },
    container: {
      runs: [
        {
          exitCode: 0,
          afterSeconds: 0.1,
          logTail: '\nHello from Docker!\nThis message shows that your installation appears to be working correctly.\n',
        },
      ],
    },
  },
  {
    // The registry's test image: answers /healthz for ten seconds and with an error from then on.
    name: 'agnhost-liveness',
    match: {
      images: ['registry.k8s.io/e2e-test-images/agnhost', 'registry.k8s.io/liveness'],
      commands: ['liveness*', '/agnhost liveness*', '/server'],
    },
    container: {
      runs: [{ forever: true }],
      probes: {
        liveness: [
          { result: 'success' },
          { fromSeconds: 10, result: 'failure', cause: { kind: 'http-status', httpStatus: 500 } },
        ],
      },
    },
  },
  {
    name: 'agnhost',
    match: {
      images: ['registry.k8s.io/e2e-test-images/agnhost'],
      commands: ['', 'pause*', '*netexec*', '*serve-hostname*', '*guestbook*', '*porter*'],
    },
    container: {
      runs: [{ forever: true }],
      onSigterm: { exitCode: 0, afterSeconds: 0.1 },
      usage: { cpu: milli(1), memory: mib(12) },
    },
  },
  {
    // What nobody talks to reads the end of its input and has nothing to do.
    name: 'shell-without-command',
    withoutInput: true,
    match: { images: interactive, commands: [''] },
    container: { runs: [{ exitCode: 0, afterSeconds: 0.1 }] },
  },
  {
    name: 'image-without-command',
    match: {
      images: ['gcr.io/distroless/static*', 'gcr.io/distroless/base*', 'gcr.io/distroless/cc*'],
      commands: [''],
    },
    container: {
      createError: { message: 'failed to generate container spec: failed to generate spec: no command specified' },
    },
  },
  tool(
    'curl-without-url',
    ['curlimages/curl', 'alpine/curl'],
    { commands: [''] },
    {
      exitCode: 2,
      afterSeconds: 0.1,
      logTail: "curl: try 'curl --help' or 'curl --manual' for more information\n",
    },
  ),
  tool('curl', ['curlimages/curl', 'alpine/curl'], {}, { exitCode: 0, afterSeconds: 0.3 }),
  tool(
    'kubectl',
    kubectlImages,
    { commands: ['', ...kubectlVerbs.split(' ').flatMap((verb) => [verb, `${verb} *`])] },
    {
      exitCode: 0,
      afterSeconds: 0.5,
    },
  ),
  wantsPassword('postgres', ['postgres', 'timescale/timescaledb', 'postgis/postgis', 'pgvector/pgvector'], {
    withoutEnv: ['POSTGRES_PASSWORD', 'POSTGRES_PASSWORD_FILE', 'POSTGRES_HOST_AUTH_METHOD'],
    server: 'postgres',
    says: 'Error: Database is uninitialized and superuser password is not specified.\n       You must specify POSTGRES_PASSWORD to a non-empty value for the\n       superuser. For example, "-e POSTGRES_PASSWORD=password" on "docker run".\n',
  }),
  wantsPassword('mysql', ['mysql', 'mysql/mysql-server'], {
    withoutEnv: [
      ...['MYSQL_ROOT_PASSWORD', 'MYSQL_ROOT_PASSWORD_FILE'],
      ...['MYSQL_ALLOW_EMPTY_PASSWORD', 'MYSQL_RANDOM_ROOT_PASSWORD'],
    ],
    server: 'mysqld',
    says: '[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified\n    You need to specify one of the following as an environment variable:\n    - MYSQL_ROOT_PASSWORD\n    - MYSQL_ALLOW_EMPTY_PASSWORD\n    - MYSQL_RANDOM_ROOT_PASSWORD\n',
  }),
  wantsPassword('mariadb', ['mariadb'], {
    withoutEnv: [
      ...['', '_FILE', '_HASH'].flatMap((end) => [`MARIADB_ROOT_PASSWORD${end}`, `MYSQL_ROOT_PASSWORD${end}`]),
      'MARIADB_ALLOW_EMPTY_ROOT_PASSWORD',
      'MARIADB_RANDOM_ROOT_PASSWORD',
      'MYSQL_ALLOW_EMPTY_PASSWORD',
      'MYSQL_RANDOM_ROOT_PASSWORD',
    ],
    server: 'mariadbd',
    says: '[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified\n\tYou need to specify one of MARIADB_ROOT_PASSWORD, MARIADB_ROOT_PASSWORD_HASH, MARIADB_ALLOW_EMPTY_ROOT_PASSWORD and MARIADB_RANDOM_ROOT_PASSWORD\n',
  }),
  server('nginx', ['nginx', 'nginxinc/nginx-unprivileged', 'nginxdemos/hello', 'bitnami/nginx'], {
    cpu: 1,
    memory: 9,
    endsAfter: 0.1,
    says: [
      '/docker-entrypoint.sh: Configuration complete; ready for start up',
      '[notice] 1#1: using the "epoll" event method',
      '[notice] 1#1: start worker processes',
    ],
    repeats: accessLine,
  }),
  server('httpd', ['httpd', 'gcr.io/google_samples/gb-frontend', 'us-docker.pkg.dev/google-samples/*/gb-frontend'], {
    cpu: 2,
    memory: 12,
    endsAfter: 0.2,
    says: ['[mpm_event:notice] [pid 1] AH00489: Apache/2.4 (Unix) configured -- resuming normal operations'],
    repeats: accessLine,
  }),
  server('redis', ['redis', 'valkey/valkey', 'bitnami/redis', 'redis/redis-stack*'], {
    cpu: 2,
    memory: 8,
    endsAfter: 0.1,
    says: ['1:M * Running mode=standalone, port=6379.', '1:M * Ready to accept connections tcp'],
  }),
  server('memcached', ['memcached'], { cpu: 1, memory: 4, endsAfter: 0.1, says: [] }),
  server(
    'postgres',
    ['postgres', 'timescale/timescaledb', 'postgis/postgis', 'pgvector/pgvector', 'bitnami/postgresql'],
    {
      cpu: 5,
      memory: 40,
      endsAfter: 0.4,
      says: [
        'LOG:  starting PostgreSQL on x86_64-pc-linux-gnu, 64-bit',
        'LOG:  listening on IPv4 address "0.0.0.0", port 5432',
        'LOG:  database system is ready to accept connections',
      ],
    },
  ),
  server('mysql', ['mysql', 'mysql/mysql-server', 'mariadb', 'bitnami/mysql', 'bitnami/mariadb'], {
    cpu: 8,
    memory: 360,
    endsAfter: 1.5,
    says: [
      '[System] [MY-010931] [Server] /usr/sbin/mysqld: ready for connections. socket: /var/run/mysqld/mysqld.sock  port: 3306',
    ],
  }),
  server('mongo', ['mongo'], {
    cpu: 6,
    memory: 120,
    endsAfter: 1,
    says: ['{"msg":"Waiting for connections","attr":{"port":27017}}'],
  }),
  server('rabbitmq', ['rabbitmq'], {
    cpu: 10,
    memory: 140,
    endsAfter: 3,
    says: ['Server startup complete; 4 plugins started.'],
  }),
  server(
    'http-echo',
    [
      'hashicorp/http-echo',
      'ealen/echo-server',
      'traefik/whoami',
      'ghcr.io/stefanprodan/podinfo',
      'stefanprodan/podinfo',
    ],
    {
      cpu: 1,
      memory: 14,
      endsAfter: 0.2,
      says: [],
    },
  ),
  server('proxy', ['traefik', 'haproxy', 'envoyproxy/envoy', 'caddy'], {
    cpu: 3,
    memory: 30,
    endsAfter: 0.5,
    says: [],
  }),
]
