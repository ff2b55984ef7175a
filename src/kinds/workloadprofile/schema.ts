// The structural schema of a WorkloadProfile, field by field with what each means.

import type { JsonObject } from '#objects'
import {
  anything,
  bytes,
  flag,
  labelSelector,
  list,
  object,
  oneOf,
  quantity,
  seconds,
  text,
  textMap,
  texts,
  whole,
} from '../lab/schema-words.ts'

const match = object(
  {
    images: texts(
      'Globs of images, as the manifest writes them or in full. Without a tag: any tag, so nginx means nginx:1.27 too.',
    ),
    containers: texts('Globs of container names; init containers, sidecars and ephemeral ones too.'),
    commands: texts("Globs of the container's command and args, joined by blanks; an empty text means no command."),
    withoutEnv: texts('Names of variables of which the container sets none (one with envFrom may set any).'),
    pods: texts('Globs of pod names.'),
    podSelector: labelSelector('Labels of the pods.'),
    namespaces: texts('Globs of the namespaces of the pods.'),
  },
  'What the profile is about. Every field that is given must match, each by any of its entries; an empty match means all. In globs * stands for any text and ? for one character.',
)

const pull = object(
  {
    seconds: seconds('How long the pull takes; default 0.5.'),
    error: oneOf(
      ['notFound', 'unauthorized', 'unreachable', 'tooManyRequests'],
      'The pull fails: no such image (404), credentials are wanted (401), no answer from the registry, or too many pulls (429).',
    ),
    message: text("The runtime's error text instead of the usual one; with it the pull fails even without error."),
    hangs: flag('The registry accepts the connection and never answers.'),
    sizeBytes: bytes('Size of the image that was pulled.'),
  },
  'One pull.',
)

const image = object(
  {
    present: flag('The image is on every node from the start.'),
    sizeBytes: bytes('Size of the image.'),
    reportedName: text('How the runtime calls it in the status of containers.'),
    imageID: text('Its id in the status of containers.'),
    user: text('User of its configuration, for runAsNonRoot; empty is root.'),
    private: flag(
      'Its registry wants credentials: pulls fail with 401 unless the pod has an imagePullSecret for it in its namespace.',
    ),
    pulls: list(pull, 'The first, second … pull on a node; the last one holds for all further ones.'),
  },
  'What the images do. Only in profiles that match by images and by nothing else: a node has an image for all its pods.',
)

const run = object(
  {
    forever: flag('It runs until somebody stops it.'),
    exitCode: whole('It ends by itself with this exit code; default 0, or 128 and the signal.'),
    signal: whole('It is ended by this signal.', 1),
    afterSeconds: seconds(
      'So long after its start; without it and without exitCode, signal or oomKilled it runs for ever.',
    ),
    oomKilled: flag('The kernel kills it for its use of memory: reason OOMKilled, exit code 137.'),
    terminationMessage: text(
      'What it writes to terminationMessagePath; env:NAME in braces after a dollar sign stands for its variable NAME.',
    ),
    logTail: text('What it has written to its log.'),
  },
  'One run of the container.',
)

const onSigterm = object(
  {
    ignored: flag('It has no handler: SIGKILL after the grace period, exit code 137.'),
    exitCode: whole('The exit code; default 0.'),
    afterSeconds: seconds('From the signal to the end; default 0.2.'),
    deferredUntilSeconds: list(
      { type: 'number' },
      'A signal before such a moment (since the start) is acted on only then.',
    ),
    ignoredBeforeSeconds: seconds('The handler is there only so long after the start.'),
  },
  'What it does when it is asked to end.',
)

const segments = (what: string): JsonObject =>
  list(
    object(
      {
        fromSeconds: seconds('When this begins; default 0.'),
        since: oneOf(['start', 'preStop'], "Counted from the container's start (default) or from its preStop hook."),
        result: oneOf(
          ['success', 'failure', 'error', 'timeout'],
          'What the probe finds; error: it could not be carried out; timeout: no answer in time.',
        ),
        output: text('The text that follows "probe failed: ", where the prober has no words of its own.'),
        cause: object(
          {
            kind: oneOf(
              [
                'exec',
                'exec-cannot-start',
                'connection-refused',
                'connection-accepted',
                'http-status',
                'http-no-answer',
              ],
              'What happened.',
            ),
            exitCode: whole('Exit code of the command.'),
            httpStatus: whole('Status code of the answer.'),
            body: text('Body of the answer.'),
            takesSeconds: seconds('How long an answer would take.'),
          },
          'Why, so that the prober can word it.',
          ['kind'],
        ),
      },
      'From a moment on, until the next one.',
      ['result'],
    ),
    what,
  )

const hook = (what: string): JsonObject =>
  object(
    {
      result: oneOf(['ok', 'error'], 'How it ends; default ok.'),
      seconds: seconds('How long it takes.'),
      exitCode: whole('Exit code of its command.'),
      output: text('Output of its command.'),
      message: text("The error inside of the kubelet's sentence."),
    },
    what,
  )

const curve = (what: string, value: string): JsonObject =>
  list(
    object(
      {
        fromSeconds: seconds("Since the container's start; default 0."),
        value: quantity(value),
        ramp: flag('Reached in a straight line from the point before, rather than at once.'),
      },
      'One point of the curve.',
      ['value'],
    ),
    what,
  )

const container = object(
  {
    startSeconds: seconds('From created to running; default 0.09.'),
    startError: object(
      {
        message: text("The runtime's error text."),
        exitCode: whole('Exit code in the status; default 128.'),
        reason: text('Reason in the status; default StartError.'),
        seconds: seconds('From created to failed.'),
      },
      'The runtime cannot start it: RunContainerError.',
      ['message'],
    ),
    createError: object(
      { message: text("The runtime's error text.") },
      'The runtime cannot create it: CreateContainerError.',
      ['message'],
    ),
    runs: list(run, 'Its first, second … run; the last one holds for all further ones.'),
    onSigterm,
    probes: object(
      {
        startup: segments('What a startup probe finds over time; default success.'),
        readiness: segments('What a readiness probe finds over time; default success.'),
        liveness: segments('What a liveness probe finds over time; default success.'),
      },
      'What probes find, the same in each run.',
    ),
    requests: segments(
      'What requests from the network meet over time while it runs; default: what readiness probes find, or else liveness probes.',
    ),
    hooks: object(
      { postStart: hook('The postStart hook.'), preStop: hook('The preStop hook.') },
      'What its lifecycle hooks do.',
    ),
    usage: object(
      {
        cpu: curve('CPU that it uses.', 'CPU, such as 250m.'),
        sharedCpu: curve(
          "CPU that all running containers of the profile use together, each the same part, since the profile's creation: a load that more pods make lighter for each.",
          'CPU, such as 250m.',
        ),
        memory: curve('Memory that it uses; more than its limit gets it OOMKilled.', 'Memory, such as 128Mi.'),
        ephemeralStorage: curve(
          'What it has written to its own file system and its log; more than its limit gets the pod evicted.',
          'Bytes, such as 2Gi.',
        ),
        pids: curve('Its processes; default 5.', 'A number, such as 40.'),
      },
      'What it uses over time.',
    ),
    logs: list(
      object(
        {
          afterSeconds: seconds("When it is written, since the container's start; default 0."),
          everySeconds: seconds('Written again and again, so far apart.'),
          text: text('The line.'),
        },
        'A line of its log.',
        ['text'],
      ),
      'What it writes to its log.',
    ),
    exec: list(
      object(
        {
          command: text('A glob of the command with its arguments, joined by blanks.'),
          stdout: text('What it prints.'),
          stderr: text('What it complains of.'),
          exitCode: whole('Its exit code; default 0.'),
          seconds: seconds('How long it takes; default 0.'),
        },
        'One command.',
        ['command'],
      ),
      'How commands run by kubectl exec end; the first one that matches counts. Others are run by a small simulated shell.',
    ),
    files: textMap('Files in the image that commands run by kubectl exec find: contents by absolute path.'),
  },
  'What the containers do. Fields that are left out come from the next profile that matches, and at last from the built-in ones.',
)

const pod = object(
  {
    sandboxError: text("The runtime cannot make the pod's sandbox: its error text."),
    storage: object(
      {
        fromSeconds: seconds("Since a container's start."),
        totalBytes: bytes('All that its containers and volumes hold; default: the sum of what follows.'),
        volumes: {
          type: 'object',
          additionalProperties: { type: 'integer', format: 'int64' },
          description: 'Bytes in each emptyDir volume.',
        },
        containers: {
          type: 'object',
          additionalProperties: { type: 'integer', format: 'int64' },
          description: 'Bytes in the writable layer of each container.',
        },
      },
      'Local storage that it takes; more than its limits gets it evicted.',
    ),
  },
  'What happens to the pod as a whole. The match fields containers, commands and images mean any of its containers.',
)

const webhook = object(
  {
    delaySeconds: seconds('How long it takes to answer; longer than timeoutSeconds fails the call.'),
    crash: flag('It closes the connection without an answer.'),
    deny: object(
      { message: text('Why.'), code: whole('HTTP code of the refusal; default 403.') },
      'It refuses the request.',
    ),
    mutate: object(
      {
        labels: textMap('Labels that it adds to the object.'),
        annotations: textMap('Annotations that it adds to the object.'),
        env: list(anything('As in a container.'), 'Variables that it adds to each container of a pod.'),
        sidecar: anything('A container that it adds to a pod.'),
      },
      'What it changes.',
    ),
    warnings: texts('Warnings that it sends to the client.'),
    conversionError: text(
      'Asked to convert custom resources, it answers with this error; without it, it passes them on under the version that is wanted.',
    ),
    forwardTo: text('URL of a real server that answers in its place.'),
  },
  'How the server in the containers answers when it is called as a webhook, for admission or for conversion.',
)

export const workloadProfileSpec: JsonObject = {
  ...object(
    {
      description: text('What it is for, in a sentence; explain shows it.'),
      priority: {
        type: 'integer',
        format: 'int32',
        description: 'Where several match, the highest says first; then by name. Default 0.',
      },
      match,
      image,
      container,
      pod,
      webhook,
    },
    'Which workloads, and what they do.',
    ['match'],
  ),
  'x-kubernetes-validations': [
    {
      rule: '!has(self.image) || (has(self.match.images) && !has(self.match.containers) && !has(self.match.commands) && !has(self.match.withoutEnv) && !has(self.match.pods) && !has(self.match.podSelector) && !has(self.match.namespaces))',
      message: 'image needs a match by images and by nothing else: a node has an image for all its pods',
    },
  ],
}
