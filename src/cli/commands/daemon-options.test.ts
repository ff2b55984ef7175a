import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Terminal } from '../terminal.ts'
import { daemonOptions } from './daemon-options.ts'
import type { UpFlags } from './up-options.ts'

const terminal: Terminal = { out: () => {}, err: () => {}, interactive: false, env: {}, cwd: '/home/ann' }
const flags: UpFlags = {
  interval: '120',
  port: '7080',
  apiPort: '7443',
  listen: '127.0.0.1',
  nodes: '3',
  speed: '1',
  kubelet: 'real',
}
const options = (repository?: string, more: Partial<UpFlags> = {}) =>
  daemonOptions(terminal, { ...flags, ...more }, repository)

describe('options of up', () => {
  test('paths are taken from where the user stands, URLs as they are', () => {
    expect(options('shop').repository?.location).toBe('/home/ann/shop')
    expect(options('.').repository?.location).toBe('/home/ann')
    expect(options('/srv/x').repository?.location).toBe('/srv/x')
    expect(options('https://a.example.com/b.git').repository?.location).toBe('https://a.example.com/b.git')
    expect(options().repository).toBeUndefined()
    expect(options().dataDir).toBe('/home/ann/.homeostat')
  })

  test.each([
    [['', {}], 'empty text'],
    [['ssh://-oProxyCommand=x/b', {}], 'is not a valid ssh URL'],
    [['ftp://a.example.com/b', {}], 'is not a repository URL'],
    [['https://', {}], 'is not a valid URL'],
    [['.', { path: '../..' }], 'app path outside root'],
    [['.', { path: '/etc' }], '--path /etc: app path is absolute: give a folder from the root of the repository'],
    [['.', { path: '.git/hooks' }], 'inside .git'],
    [['.', { revision: '--upload-pack=x' }], 'not a valid revision'],
    [['.', { revision: 'a..b' }], '--revision: '],
    [[undefined, { path: 'x' }], '--path says how to follow a repository'],
    [[undefined, { worktree: true }], '--worktree says how to follow'],
    [['.', { dataDir: '' }], '--data-dir is an empty text'],
    [['.', { port: '70000' }], '--port 70000'],
    [['.', { port: '' }], '--port'],
    [['.', { nodes: '1.5' }], '--nodes 1.5'],
    [['.', { nodes: '-1' }], '--nodes -1'],
    [['.', { speed: '0' }], '--speed 0'],
    [['.', { speed: 'fast' }], '--speed fast'],
    [['.', { seed: 'x' }], '--seed x'],
    [['.', { interval: '-5' }], '--interval -5'],
    [['.', { kubelet: 'mock' }], '--kubelet mock'],
  ] as const)('%j is refused', ([repository, more], message) => {
    expect(() => options(repository, more)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), code: 2 }),
    )
  })

  test('profiles of the scheduler come from a file; a fault names file and field', () => {
    const folder = mkdtempSync(join(tmpdir(), 'homeostat-scheduler-'))
    const file = join(folder, 'scheduler.yaml')
    const head = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n'
    try {
      writeFileSync(file, `${head}profiles: [{schedulerName: packer}]`)
      expect(options(undefined, { schedulerConfig: file }).scheduler?.profiles?.[0]?.schedulerName).toBe('packer')
      writeFileSync(file, `${head}profiles: [{schedulerNam: packer}]`)
      expect(() => options(undefined, { schedulerConfig: file })).toThrow(
        expect.objectContaining({ message: `${file}:3: profiles[0].schedulerNam is not a known field`, code: 2 }),
      )
      expect(() => options(undefined, { schedulerConfig: join(folder, 'absent') })).toThrow('cannot read')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('admission plug-ins are configured by a file, which may lead to others beside it; a fault names file and line', () => {
    const folder = mkdtempSync(join(tmpdir(), 'homeostat-admission-'))
    const [file, other] = [join(folder, 'admission.yaml'), join(folder, 'pods.yaml')]
    const configured = () => options(undefined, { admissionControlConfigFile: file }).admission?.configured
    try {
      writeFileSync(
        file,
        'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- {name: PodSecurity, path: pods.yaml}\n',
      )
      expect(configured).toThrow(`--admission-control-config-file: cannot read ${other}`)
      const good = 'apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n'
      writeFileSync(other, good)
      expect(configured()?.map(({ name }) => name)).toEqual(['PodSecurity'])
      writeFileSync(other, `${good}defaults: {enforce: none}\n`)
      expect(configured).toThrow(
        expect.objectContaining({
          message: expect.stringContaining(`${other}:3: defaults.enforce is "none"`),
          code: 2,
        }),
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('plug-ins come from a file, and what they run must be there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'homeostat-plugins-'))
    const file = join(folder, 'plugins.yaml')
    const plugin = (command: string): string =>
      `{apiVersion: argoproj.io/v1alpha1, kind: ConfigManagementPlugin, metadata: {name: p}, spec: {generate: {command: [${command}]}}}`
    try {
      writeFileSync(file, plugin(process.execPath))
      expect(options(undefined, { plugins: file }).plugins?.map(({ name }) => name)).toEqual(['p'])
      writeFileSync(file, plugin('no-such-program'))
      expect(() => options(undefined, { plugins: file })).toThrow(
        expect.objectContaining({
          message: `--plugins ${file}: p: spec.generate: no-such-program is neither on PATH nor the whole path of a program`,
          code: 2,
        }),
      )
      writeFileSync(file, plugin('./build.sh'))
      expect(() => options(undefined, { plugins: file })).toThrow(/document 1: spec\.generate\.command: .*repository/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
