// Roles of nodes and of components beside the controllers (bootstrappolicy/policy.go of 1.34).

/** Also what the Node authoriser allows of what it does not look at more closely. */
export const nodeRules = `
    create | authentication.k8s.io | tokenreviews
    create | authorization.k8s.io | subjectaccessreviews localsubjectaccessreviews
    read | core | services
    create read | core | nodes
    update patch | core | nodes/status
    update patch | core | nodes
    create update patch | core | events
    read | core | pods
    create delete | core | pods
    update patch | core | pods/status
    create | core | pods/eviction
    read | core | secrets configmaps
    get | core | persistentvolumeclaims persistentvolumes
    get | core | endpoints
    create read | certificates.k8s.io | certificatesigningrequests
    get create update patch delete | coordination.k8s.io | leases
    get | storage.k8s.io | volumeattachments
    create | core | serviceaccounts/token
    get update patch | core | persistentvolumeclaims/status
    read | storage.k8s.io | csidrivers
    get create update patch delete | storage.k8s.io | csinodes
    read | node.k8s.io | runtimeclasses
    get | resource.k8s.io | resourceclaims
    deletecollection | resource.k8s.io | resourceslices
    list watch | core | serviceaccounts`

const approver = (signer: string): string => `approve | certificates.k8s.io | signers | kubernetes.io/${signer}`

export const componentRoles: Readonly<Record<string, string>> = {
  'system:node': nodeRules,
  'system:heapster': `
    read | core | events pods nodes namespaces
    read | extensions | deployments`,
  'system:node-problem-detector': `
    get | core | nodes
    patch | core | nodes/status
    events`,
  'system:kubelet-api-admin': `
    read | core | nodes
    proxy | core | nodes
    * | core | nodes/configz nodes/healthz nodes/log nodes/metrics nodes/pods nodes/proxy nodes/stats`,
  'system:node-bootstrapper': `
    create read | certificates.k8s.io | certificatesigningrequests`,
  'system:auth-delegator': `
    create | authentication.k8s.io | tokenreviews
    create | authorization.k8s.io | subjectaccessreviews`,
  'system:kube-aggregator': `
    read | core | services endpoints`,
  'system:kube-controller-manager': `
    events
    create | coordination.k8s.io | leases
    get update | coordination.k8s.io | leases | kube-controller-manager
    create | core | secrets serviceaccounts
    delete | core | secrets
    get | core | namespaces secrets serviceaccounts configmaps
    update | core | secrets serviceaccounts
    create | authentication.k8s.io | tokenreviews
    create | authorization.k8s.io | subjectaccessreviews
    list watch | * | *
    create | core | serviceaccounts/token`,
  'system:kube-dns': `
    list watch | core | endpoints services`,
  'system:persistent-volume-provisioner': `
    read create delete | core | persistentvolumes
    read update | core | persistentvolumeclaims
    read | storage.k8s.io | storageclasses
    watch | core | events
    events`,
  'system:certificates.k8s.io:certificatesigningrequests:nodeclient': `
    create | certificates.k8s.io | certificatesigningrequests/nodeclient`,
  'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient': `
    create | certificates.k8s.io | certificatesigningrequests/selfnodeclient`,
  'system:certificates.k8s.io:legacy-unknown-approver': approver('legacy-unknown'),
  'system:certificates.k8s.io:kubelet-serving-approver': approver('kubelet-serving'),
  'system:certificates.k8s.io:kube-apiserver-client-approver': approver('kube-apiserver-client'),
  'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver': approver('kube-apiserver-client-kubelet'),
  'system:volume-scheduler': `
    read update patch | core | persistentvolumes
    read | storage.k8s.io | storageclasses
    read update patch | core | persistentvolumeclaims`,
  'system:node-proxier': `
    list watch | core | services endpoints
    read | core | nodes
    events
    list watch | discovery.k8s.io | endpointslices
    list watch | networking.k8s.io | servicecidrs`,
  'system:kube-scheduler': `
    events
    create | coordination.k8s.io | leases
    get update | coordination.k8s.io | leases | kube-scheduler
    read | core | nodes
    read delete | core | pods
    create | core | pods/binding bindings
    patch update | core | pods/status
    read | core | services replicationcontrollers
    read | apps extensions | replicasets
    read | apps | statefulsets
    read | policy | poddisruptionbudgets
    read | core | persistentvolumeclaims persistentvolumes
    create | authentication.k8s.io | tokenreviews
    create | authorization.k8s.io | subjectaccessreviews
    read | storage.k8s.io | csinodes
    read | core | namespaces
    read | storage.k8s.io | csidrivers
    read | storage.k8s.io | csistoragecapacities
    read | storage.k8s.io | volumeattachments
    read | resource.k8s.io | deviceclasses
    read update patch | resource.k8s.io | resourceclaims
    read update patch | resource.k8s.io | resourceclaims/status
    read update patch | core | pods/finalizers
    read | resource.k8s.io | resourceslices`,
}
