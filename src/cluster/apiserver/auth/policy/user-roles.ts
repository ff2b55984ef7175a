// Roles for people, and the parts that admin, edit and view are put together of (bootstrappolicy/policy.go of 1.34).

/** Who gathers which parts: role, and the labels that it has itself. */
export const aggregates: Readonly<Record<string, readonly string[]>> = {
  admin: [],
  edit: ['admin'],
  view: ['edit'],
}

/** Parts of the aggregates of the same name. */
export const aggregateParts: Readonly<Record<string, string>> = {
  admin: `
    create | authorization.k8s.io | localsubjectaccessreviews
    read write | rbac.authorization.k8s.io | roles rolebindings`,
  edit: `
    read | core | pods/attach pods/proxy pods/exec pods/portforward secrets services/proxy
    impersonate | core | serviceaccounts
    write | core | pods pods/attach pods/proxy pods/exec pods/portforward
    create | core | pods/eviction
    write | core | replicationcontrollers replicationcontrollers/scale serviceaccounts services services/proxy persistentvolumeclaims configmaps secrets events
    create | core | serviceaccounts/token
    write | apps | statefulsets statefulsets/scale daemonsets deployments deployments/scale deployments/rollback replicasets replicasets/scale
    write | autoscaling | horizontalpodautoscalers
    write | batch | jobs cronjobs
    write | extensions | daemonsets deployments deployments/scale deployments/rollback ingresses replicasets replicasets/scale replicationcontrollers/scale networkpolicies
    write | policy | poddisruptionbudgets
    write | networking.k8s.io | networkpolicies ingresses
    read write | coordination.k8s.io | leases
    write | resource.k8s.io | resourceclaims resourceclaimtemplates`,
  view: `
    read | core | pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status endpoints persistentvolumeclaims persistentvolumeclaims/status configmaps
    read | core | limitranges resourcequotas bindings events pods/status resourcequotas/status namespaces/status replicationcontrollers/status pods/log
    read | core | namespaces
    read | discovery.k8s.io | endpointslices
    read | apps | controllerrevisions statefulsets statefulsets/status statefulsets/scale daemonsets daemonsets/status deployments deployments/status deployments/scale replicasets replicasets/status replicasets/scale
    read | autoscaling | horizontalpodautoscalers horizontalpodautoscalers/status
    read | batch | jobs cronjobs cronjobs/status jobs/status
    read | extensions | daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status replicasets replicasets/scale replicasets/status replicationcontrollers/scale networkpolicies
    read | policy | poddisruptionbudgets poddisruptionbudgets/status
    read | networking.k8s.io | networkpolicies ingresses ingresses/status
    read | resource.k8s.io | resourceclaims resourceclaims/status resourceclaimtemplates`,
}

export const userRoles: Readonly<Record<string, string>> = {
  'cluster-admin': `
    * | * | *
    * | url | *`,
  'system:discovery': `
    get | url | /livez /readyz /healthz /version /version/ /openapi /openapi/* /api /api/* /apis /apis/*`,
  'system:basic-user': `
    create | authorization.k8s.io | selfsubjectaccessreviews selfsubjectrulesreviews
    create | authentication.k8s.io | selfsubjectreviews`,
  'system:public-info-viewer': `
    get | url | /livez /readyz /healthz /version /version/`,
  'system:monitoring': `
    get | url | /metrics /metrics/slis /livez /readyz /healthz /livez/* /readyz/* /healthz/*`,
  'system:service-account-issuer-discovery': `
    get | url | /.well-known/openid-configuration /openid/v1/jwks`,
}
