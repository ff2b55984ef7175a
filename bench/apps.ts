import { createGitops } from '#gitops'
import { Application } from '#kinds'
import { createMachine } from '#machine'
import { simulatedWorld } from '#world'
import { createRepository } from '../test/gitops/git-repository.ts'
import { application, auto, configMap } from '../test/gitops/reconciler.ts'
const n = Number(process.argv[2] ?? 1000)
const minutes = Number(process.argv[3] ?? 10)
const world = simulatedWorld(1)
const repo = createRepository()
repo.commit(Object.fromEntries(Array.from({length: n}, (_, i) => [`app-${i}/map.yaml`, configMap(`map-${i}`, '1')])))
const gitops = createGitops({ world, directory: '/nonexistent', local: [{ path: repo.path }] })
let on = false
const counts = new Map<string, number>()
const machine = createMachine({ world, nodes: 1, instant: true, extraLoops: gitops.loops, wrap: next => (r,s)=>{ if(on){const k=`${r.verb} ${r.resource?.resource}/${r.subresource??''} ${r.caller?.userAgent}`; counts.set(k,(counts.get(k)??0)+1)} return next(r,s)} })
const client = machine.client()
machine.start()
await world.advance(5000)
await world.drive(async () => { for (let i = 0; i < n; i++) await client.create(Application, application(`app-${i}`, repo, { automated: auto })) })
for (;;) { await world.advance(5000); const l = (await client.list(Application)).items.filter(a => a.status?.sync?.status === 'Synced' && a.status.operationState?.phase==='Succeeded').length; if (l === n) break; console.log(l) }
await world.advance(400_000)
on = true
const t0=performance.now(), c0 = process.cpuUsage()
await world.advance(minutes*60_000)
const c = process.cpuUsage(c0)
console.log('wall', (performance.now()-t0).toFixed(0), 'cpu ms', ((c.user+c.system)/1000).toFixed(0), 'per 3 min', ((c.user+c.system)/1000/minutes*3).toFixed(0))
for (const [k,v] of [...counts].sort((a,b)=>b[1]-a[1]).slice(0,8)) console.log(v,k)
await machine.stop()
