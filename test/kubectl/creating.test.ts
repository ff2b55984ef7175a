// Objects that kubectl makes by itself: run, expose, create with every generator, set, autoscale, label, annotate.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasKubectl } from '../support/kubectl.ts'
import { type KubectlCluster, startKubectlCluster } from '../support/kubectl-cluster.ts'

/** A self-signed certificate that is good for a hundred years, and its key. */
const hasOpenssl = (): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(!hasKubectl)('kubectl makes objects', { timeout: 90_000 }, () => {
  let cluster: KubectlCluster
  beforeAll(async () => {
    cluster = await startKubectlCluster()
  })
  afterAll(() => cluster?.stop())

  it.concurrent('run and expose', async () => {
    const n = await cluster.fresh('running')
    await cluster.inOrder([
      [`run web --image=nginx:1.29 --port=80 --labels=app=w,tier=x --env=A=1 ${n}`, 'pod/web created\n'],
      [`run both --image=nginx:1.29 --expose --port=80 ${n}`, 'service/both created\npod/both created\n'],
      [`run once --image=busybox --restart=OnFailure --command ${n} -- sleep 500`, 'pod/once created\n'],
      [`expose pod web --port=80 --target-port=8080 --name=front ${n}`, 'service/front exposed\n'],
      [`create deployment dep --image=nginx:1.29 --port=80 ${n}`, 'deployment.apps/dep created\n'],
      [`expose deployment dep --port=80 --type=NodePort ${n}`, 'service/dep exposed\n'],
    ])
    await cluster.atOnce([
      [
        `get pod web ${n} -o jsonpath='{.metadata.labels}{.spec.containers[0].env}{.spec.containers[0].ports}'`,
        '{"app":"w","tier":"x"}[{"name":"A","value":"1"}][{"containerPort":80,"protocol":"TCP"}]',
      ],
      [
        `get pod once ${n} -o jsonpath='{.spec.restartPolicy} {.spec.containers[0].command}'`,
        'OnFailure ["sleep","500"]',
      ],
      [
        `get service front both dep ${n} -o custom-columns=N:.metadata.name,T:.spec.type,S:.spec.selector,P:.spec.ports[0].targetPort --no-headers`,
        /^front +ClusterIP +map\[app:w tier:x\] +8080\nboth +ClusterIP +map\[run:both\] +80\ndep +NodePort +map\[app:dep\] +80\n$/,
      ],
    ])
    await cluster.refused([
      [`run web --image=nginx ${n}`, 'Error from server (AlreadyExists): pods "web" already exists\n'],
      [
        `run dry --image=nginx --port=99999 --dry-run=server ${n}`,
        'The Pod "dry" is invalid: spec.containers[0].ports[0].containerPort: Invalid value: 99999: must be between 1 and 65535, inclusive\n',
      ],
      [
        `run Bad --image=nginx ${n}`,
        /^The Pod "Bad" is invalid: \n?.*metadata\.name: Invalid value: "Bad": a lowercase/s,
      ],
      [`create deployment dep --image=nginx ${n}`, /deployments\.apps "dep" already exists\n$/],
    ])
    expect(await cluster.ok(`run dry --image=nginx --dry-run=server -o yaml ${n}`)).toMatch(
      /\nstatus:\n {2}phase: Pending\n {2}qosClass: BestEffort\n$/,
    )
  })

  it.concurrent('create, with the generators of namespaced kinds', async () => {
    const n = await cluster.fresh('generated')
    const [text, env] = [join(cluster.folder, 'f.txt'), join(cluster.folder, 'f.env')]
    writeFileSync(text, 'hello\n')
    writeFileSync(env, 'A=1\nB=2\n')
    await cluster.atOnce([
      [`create configmap cm --from-literal=x=y --from-file=${text} ${n}`, 'configmap/cm created\n'],
      [`create configmap env --from-env-file=${env} --append-hash ${n}`, /^configmap\/env-[a-z0-9]{10} created\n$/],
      [`create cronjob cj --image=busybox --schedule='0 0 1 1 *' ${n} -- date`, 'cronjob.batch/cj created\n'],
      [`create job j --image=busybox ${n} -- date`, 'job.batch/j created\n'],
      [
        `create ingress ing --class=nginx --rule='foo.com/bar*=dep:80,tls=mysec' --default-backend=dep:http ${n}`,
        'ingress.networking.k8s.io/ing created\n',
      ],
      [
        `create poddisruptionbudget pdb --selector=app=dep --min-available=1 ${n}`,
        'poddisruptionbudget.policy/pdb created\n',
      ],
      [`create quota q --hard=cpu=10,pods=30 --scopes=NotTerminating ${n}`, 'resourcequota/q created\n'],
      [
        `create role r --verb=get --verb=list --resource=pods,deployments.apps/scale ${n}`,
        /^role\.rbac.*\/r created\n$/,
      ],
      [
        `create rolebinding rb --role=r --user=bob --serviceaccount=generated:robot ${n}`,
        /^rolebinding.*\/rb created\n$/,
      ],
      [`create secret generic sg --from-literal=a=b --type=example.com/x ${n}`, 'secret/sg created\n'],
      [
        `create secret docker-registry sd --docker-username=u --docker-password=p --docker-server=r.io ${n}`,
        'secret/sd created\n',
      ],
      [`create service clusterip sc --tcp=80:8080 ${n}`, 'service/sc created\n'],
      [`create service clusterip headless --clusterip=None ${n}`, 'service/headless created\n'],
      [`create service nodeport sn --tcp=80 --node-port=30080 ${n}`, 'service/sn created\n'],
      [`create service loadbalancer sl --tcp=80 ${n}`, 'service/sl created\n'],
      [`create service externalname se --external-name=foo.com ${n}`, 'service/se created\n'],
      [`create serviceaccount robot ${n}`, 'serviceaccount/robot created\n'],
    ])
    await cluster.inOrder([[`create job from --from=cronjob/cj ${n}`, 'job.batch/from created\n']])
    await cluster.atOnce([
      [`get configmap cm ${n} -o jsonpath='{.data}'`, '{"f.txt":"hello\\n","x":"y"}'],
      [`get cronjob cj ${n}`, /^NAME +SCHEDULE +TIMEZONE.*\ncj +0 0 1 1 \* +<none> +False +0 +<none> +\d+s\n$/],
      [`get ingress ing ${n}`, /\ning +nginx +foo\.com +80, 443 +\d+s\n$/],
      [
        `get job from ${n} -o jsonpath='{.metadata.ownerReferences[0].kind} {.metadata.annotations}'`,
        /^CronJob \{"cronjob.kubernetes.io\/instantiate":"manual"\}$/,
      ],
      [`get poddisruptionbudget pdb ${n}`, /\npdb +1 +N\/A +0 +\d+s\n$/],
      [`get quota q ${n}`, /^NAME +REQUEST +LIMIT +AGE\nq +cpu: 0\/10, pods: \d\/30 +\d+s\n$/],
      [
        `get role r ${n} -o jsonpath='{.rules}'`,
        '[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]},{"apiGroups":["apps"],"resources":["deployments/scale"],"verbs":["get","list"]}]',
      ],
      [`get rolebinding rb ${n} -o wide`, /\nrb +Role\/r +\d+s +bob +generated\/robot\n$/],
      [`get secrets ${n}`, /\nsd +kubernetes\.io\/dockerconfigjson +1 +\d+s\nsg +example\.com\/x +1 +\d+s\n$/],
      [
        `get services ${n} --sort-by=.metadata.name`,
        /\nheadless +ClusterIP +None +<none> +<none> +\d+s\nsc +ClusterIP +\S+ +<none> +80\/TCP +\d+s\nse +ExternalName +<none> +foo\.com +<none> +\d+s\nsl +LoadBalancer +\S+ +\S+ +80:\d+\/TCP +\d+s\nsn +NodePort +\S+ +<none> +80:30080\/TCP +\d+s\n$/,
      ],
      [`create token robot --duration=10m ${n}`, /^eyJ[\w-]+\.[\w-]+\.[\w-]+\n?$/],
    ])
    await cluster.refused([
      [
        `create service nodeport taken --tcp=80 --node-port=30080 ${n}`,
        /Service "taken" is invalid: spec\.ports\[0\]\.nodePort: Invalid value: 30080: provided port is already allocated\n$/,
      ],
      [`create token nobody ${n}`, 'error: failed to create token: serviceaccounts "nobody" not found\n'],
      [`create role x --verb=get --resource=nothings ${n}`, /the server doesn't have a resource type "nothings"\n$/],
      [`create quota bad --hard=cpu=x ${n}`, /quantities must match the regular expression/],
    ])
  })

  it.concurrent('create, with the generators of cluster-wide kinds', async () => {
    await cluster.atOnce([
      ['create namespace made', 'namespace/made created\n'],
      [
        'create clusterrole cr --verb=get,list --resource=pods,pods/log',
        'clusterrole.rbac.authorization.k8s.io/cr created\n',
      ],
      [
        'create clusterrole urls --verb=get --non-resource-url=/logs/*',
        'clusterrole.rbac.authorization.k8s.io/urls created\n',
      ],
      [
        'create clusterrole all --aggregation-rule=rbac.example.com/all=true',
        'clusterrole.rbac.authorization.k8s.io/all created\n',
      ],
      [
        'create clusterrolebinding crb --clusterrole=cr --user=bob --group=g --serviceaccount=made:default',
        'clusterrolebinding.rbac.authorization.k8s.io/crb created\n',
      ],
      [
        'create priorityclass pc --value=1000 --description=high --preemption-policy=Never',
        'priorityclass.scheduling.k8s.io/pc created\n',
      ],
    ])
    await cluster.atOnce([
      ['get clusterrolebinding crb -o wide', /\ncrb +ClusterRole\/cr +\d+s +bob +g +made\/default\n$/],
      ['get priorityclass pc', /\npc +1000 +false +\d+s +Never\n$/],
      ['get clusterrole urls -o jsonpath={.rules}', '[{"nonResourceURLs":["/logs/*"],"verbs":["get"]}]'],
      ['get clusterrole all -o jsonpath={.aggregationRule}', /"matchLabels":\{"rbac.example.com\/all":"true"\}/],
    ])
    await cluster.refused([
      [
        'create priorityclass huge --value=2000000000',
        /PriorityClass.scheduling.k8s.io "huge" is invalid: value: Forbidden: maximum allowed value of a user defined priority is 1000000000\n$/,
      ],
      ['create namespace made', 'Error from server (AlreadyExists): namespaces "made" already exists\n'],
    ])
  })

  it.concurrent('create secret tls', async ({ skip }) => {
    if (!hasOpenssl()) skip('openssl, which makes the certificate, is not installed')
    const n = await cluster.fresh('tls')
    const [key, cert] = [join(cluster.folder, 'tls.key'), join(cluster.folder, 'tls.crt')]
    const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=foo']
    execFileSync('openssl', ['req', '-x509', ...options, '-keyout', key, '-out', cert, '-days', '2'], {
      stdio: 'ignore',
    })
    await cluster.inOrder([
      [`create secret tls pair --cert=${cert} --key=${key} ${n}`, 'secret/pair created\n'],
      [`get secret pair ${n}`, /\npair +kubernetes\.io\/tls +2 +\d+s\n$/],
    ])
  })

  it.concurrent('set env, image, resources, serviceaccount, selector, subject', async () => {
    const n = await cluster.fresh('setting')
    await cluster.atOnce([
      [`create deployment dep --image=nginx:1.29 ${n}`, 'deployment.apps/dep created\n'],
      [`create configmap cm --from-literal=x=y ${n}`, 'configmap/cm created\n'],
      [`create service clusterip sc --tcp=80 ${n}`, 'service/sc created\n'],
      [`create rolebinding rb --clusterrole=view --user=bob ${n}`, /created\n$/],
    ])
    await cluster.inOrder([
      [`set env deployment/dep A=1 B=2 ${n}`, 'deployment.apps/dep env updated\n'],
      [`set env deployment/dep --list ${n}`, '# Deployment dep, container nginx\nA=1\nB=2\n'],
      [`set env deployment/dep A- ${n}`, 'deployment.apps/dep env updated\n'],
      [`set env deployment/dep --from=configmap/cm --prefix=P_ ${n}`, 'deployment.apps/dep env updated\n'],
      [`set image deployment/dep nginx=nginx:1.30 ${n}`, 'deployment.apps/dep image updated\n'],
      [
        `set resources deployment dep --limits=cpu=200m,memory=128Mi --requests=cpu=100m ${n}`,
        'deployment.apps/dep resource requirements updated\n',
      ],
      [`set serviceaccount deployment dep robot ${n}`, 'deployment.apps/dep serviceaccount updated\n'],
      [`set selector service sc app=dep,x=y ${n}`, 'service/sc selector updated\n'],
      [
        `set subject rolebinding rb --user=al --serviceaccount=setting:robot ${n}`,
        'rolebinding.rbac.authorization.k8s.io/rb subjects updated\n',
      ],
    ])
    const { spec } = JSON.parse(await cluster.ok(`get deployment dep ${n} -o json`)).spec.template
    expect(spec).toMatchObject({
      serviceAccountName: 'robot',
      containers: [
        {
          image: 'nginx:1.30',
          env: [
            { name: 'B', value: '2' },
            { name: 'P_X', valueFrom: { configMapKeyRef: { key: 'x', name: 'cm' } } },
          ],
          resources: { limits: { cpu: '200m', memory: '128Mi' }, requests: { cpu: '100m' } },
        },
      ],
    })
    await cluster.atOnce([
      [`get service sc ${n} -o wide`, /80\/TCP +\d+s +app=dep,x=y\n$/],
      [`get rolebinding rb ${n} -o wide`, /\nrb +ClusterRole\/view +\d+s +bob, al +setting\/robot\n$/],
    ])
    await cluster.refused([
      [`set image deployment/dep other=nginx ${n}`, 'error: unable to find container named "other"\n'],
      [
        `set resources deployment dep --limits=cpu=1 --requests=cpu=2 ${n}`,
        /spec\.template\.spec\.containers\[0\]\.resources\.requests: Invalid value: "2": must be less than or equal to cpu limit of 1/,
      ],
    ])
  })

  it.concurrent('autoscale', async () => {
    const n = await cluster.fresh('autoscaling')
    await cluster.inOrder([
      [`create deployment dep --image=nginx:1.29 ${n}`, 'deployment.apps/dep created\n'],
      [
        `autoscale deployment dep --min=1 --max=3 --cpu-percent=80 ${n}`,
        /^horizontalpodautoscaler\S*\/dep autoscaled\n$/,
      ],
      [`get hpa ${n}`, /\ndep +Deployment\/dep +cpu: <unknown>\/80% +1 +3 +\d +\d+s\n$/],
    ])
    expect(await cluster.fails(`autoscale deployment dep --name=x --min=4 --max=3 ${n}`)).toMatch(/max.*min/i)
    expect(await cluster.fails(`autoscale deployment none --max=3 ${n}`)).toBe(
      'Error from server (NotFound): deployments.apps "none" not found\n',
    )
  })

  it.concurrent('label and annotate', async () => {
    const n = await cluster.fresh('labelling')
    await cluster.inOrder([
      [`create configmap cm ${n}`, 'configmap/cm created\n'],
      [`label configmap cm a=b ${n}`, 'configmap/cm labeled\n'],
      [`label configmap cm a=c --overwrite ${n}`, 'configmap/cm labeled\n'],
      [`label configmap cm a=c --overwrite ${n}`, 'configmap/cm not labeled\n'],
      [`label configmap cm --list ${n}`, 'a=c\n'],
      [`label configmaps --all q=r ${n}`, 'configmap/cm labeled\nconfigmap/kube-root-ca.crt labeled\n'],
      [`get configmaps -l 'a in (c,d),!z' ${n} -o name`, 'configmap/cm\n'],
      [`label configmap cm a- ${n}`, 'configmap/cm unlabeled\n'],
      [`annotate configmap cm note='d e' x=y ${n}`, 'configmap/cm annotated\n'],
      [`annotate configmap cm x- ${n}`, 'configmap/cm annotated\n'],
      [`annotate configmap cm --list ${n}`, 'note=d e\n'],
    ])
    await cluster.refused([
      [`label configmap cm q=s ${n}`, "error: 'q' already has a value (r), and --overwrite is false\n"],
      [
        `label configmap cm 'bad key=x' ${n}`,
        /^The ConfigMap "cm" is invalid: metadata\.labels: Invalid value: "bad key": name part must consist of/,
      ],
      [
        `annotate configmap cm note=x ${n}`,
        "error: --overwrite is false but found the following declared annotation(s): 'note' already has a value (d e)\n",
      ],
    ])
  })
})
