// Public images whose containers do one thing and end: tools, shells without anything to do, and the registry's test images.

import { type BuiltInProfile, mib, milli, tool } from './forms.ts'

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

const kubectlImages = ['bitnami/kubectl', 'registry.k8s.io/kubectl', 'rancher/kubectl', 'portainer/kubectl-shell']
const kubectlVerbs = 'get apply create delete patch rollout scale label annotate describe version config set run exec'

export const knownTools: readonly BuiltInProfile[] = [
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
  {
    // Long enough to be seen: what it makes is there before it ends (redissecretinit).
    name: 'argocd-admin',
    match: { images: ['quay.io/argoproj/argocd'], commands: ['argocd admin *', 'admin *'] },
    container: { runs: [{ exitCode: 0, afterSeconds: 2 }] },
  },
]
