// What the schema cannot say of a built-in field but a Go server shows: one line a type, one word a field.
//   *      pointer: a zero value that was given is stored
//   !      never left out: absent shows as null (or as the zero quantity, number or text)
//   ?      left out when empty although the schema calls it required
//   =type  the Go type in decoding errors, where it is not the plain one
// Read by resolve.ts.

export const goFieldFacts = `
admissionregistration.v1.MatchResources matchPolicy*=v1.MatchPolicyType
admissionregistration.v1.MutatingWebhook failurePolicy*=v1.FailurePolicyType matchPolicy*=v1.MatchPolicyType reinvocationPolicy*=v1.ReinvocationPolicyType sideEffects*!=v1.SideEffectClass timeoutSeconds*
admissionregistration.v1.NamedRuleWithOperations operations=[]v1.OperationType scope*=v1.ScopeType
admissionregistration.v1.ParamRef parameterNotFoundAction*=v1.ParameterNotFoundActionType
admissionregistration.v1.RuleWithOperations operations=[]v1.OperationType scope*=v1.ScopeType
admissionregistration.v1.ServiceReference path* port*
admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec validationActions=[]v1.ValidationAction
admissionregistration.v1.ValidatingAdmissionPolicySpec failurePolicy*=v1.FailurePolicyType
admissionregistration.v1.ValidatingWebhook failurePolicy*=v1.FailurePolicyType matchPolicy*=v1.MatchPolicyType sideEffects*!=v1.SideEffectClass timeoutSeconds*
admissionregistration.v1.Validation reason*=v1.StatusReason
admissionregistration.v1.WebhookClientConfig url*
apps.v1.ControllerRevision data!
apps.v1.DaemonSetCondition lastTransitionTime! status=v1.ConditionStatus type=v1.DaemonSetConditionType
apps.v1.DaemonSetSpec revisionHistoryLimit* selector!
apps.v1.DaemonSetStatus collisionCount*
apps.v1.DaemonSetUpdateStrategy type=v1.DaemonSetUpdateStrategyType
apps.v1.DeploymentCondition lastTransitionTime! lastUpdateTime! status=v1.ConditionStatus type=v1.DeploymentConditionType
apps.v1.DeploymentSpec progressDeadlineSeconds* replicas* revisionHistoryLimit* selector!
apps.v1.DeploymentStatus collisionCount* terminatingReplicas*
apps.v1.DeploymentStrategy type=v1.DeploymentStrategyType
apps.v1.ReplicaSetCondition lastTransitionTime! status=v1.ConditionStatus type=v1.ReplicaSetConditionType
apps.v1.ReplicaSetSpec replicas* selector!
apps.v1.ReplicaSetStatus terminatingReplicas*
apps.v1.RollingUpdateStatefulSetStrategy partition*
apps.v1.StatefulSetCondition lastTransitionTime! status=v1.ConditionStatus type=v1.StatefulSetConditionType
apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted=v1.PersistentVolumeClaimRetentionPolicyType whenScaled=v1.PersistentVolumeClaimRetentionPolicyType
apps.v1.StatefulSetSpec podManagementPolicy=v1.PodManagementPolicyType replicas* revisionHistoryLimit* selector!
apps.v1.StatefulSetStatus collisionCount*
apps.v1.StatefulSetUpdateStrategy type=v1.StatefulSetUpdateStrategyType
authentication.v1.BoundObjectReference uid=types.UID
authentication.v1.TokenRequestSpec boundObjectRef! expirationSeconds*!
authentication.v1.TokenRequestStatus expirationTimestamp!
authentication.v1.UserInfo extra=map[string]v1.ExtraValue
authorization.v1.SubjectAccessReviewSpec extra=map[string]v1.ExtraValue
autoscaling.v1.HorizontalPodAutoscalerSpec minReplicas* targetCPUUtilizationPercentage*
autoscaling.v1.HorizontalPodAutoscalerStatus currentCPUUtilizationPercentage* observedGeneration*
autoscaling.v1.ScaleSpec replicas?
autoscaling.v2.ContainerResourceMetricSource name=v1.ResourceName
autoscaling.v2.ContainerResourceMetricStatus name=v1.ResourceName
autoscaling.v2.HPAScalingPolicy type=v2.HPAScalingPolicyType
autoscaling.v2.HPAScalingRules selectPolicy*=v2.ScalingPolicySelect stabilizationWindowSeconds*
autoscaling.v2.HorizontalPodAutoscalerCondition lastTransitionTime! status=v1.ConditionStatus type=v2.HorizontalPodAutoscalerConditionType
autoscaling.v2.HorizontalPodAutoscalerSpec minReplicas*
autoscaling.v2.HorizontalPodAutoscalerStatus currentMetrics! observedGeneration*
autoscaling.v2.MetricSpec type=v2.MetricSourceType
autoscaling.v2.MetricStatus type=v2.MetricSourceType
autoscaling.v2.MetricTarget averageUtilization* type=v2.MetricTargetType
autoscaling.v2.MetricValueStatus averageUtilization*
autoscaling.v2.ResourceMetricSource name=v1.ResourceName
autoscaling.v2.ResourceMetricStatus name=v1.ResourceName
batch.v1.CronJobSpec concurrencyPolicy=v1.ConcurrencyPolicy failedJobsHistoryLimit* startingDeadlineSeconds* successfulJobsHistoryLimit* suspend* timeZone*
batch.v1.JobCondition lastProbeTime! lastTransitionTime! status=v1.ConditionStatus type=v1.JobConditionType
batch.v1.JobSpec activeDeadlineSeconds* backoffLimit* backoffLimitPerIndex* completionMode*=v1.CompletionMode completions* managedBy* manualSelector* maxFailedIndexes* parallelism* podReplacementPolicy*=v1.PodReplacementPolicy suspend* ttlSecondsAfterFinished*
batch.v1.JobStatus failedIndexes* ready* terminating*
batch.v1.PodFailurePolicyOnExitCodesRequirement containerName* operator=v1.PodFailurePolicyOnExitCodesOperator
batch.v1.PodFailurePolicyOnPodConditionsPattern status=v1.ConditionStatus type=v1.PodConditionType
batch.v1.PodFailurePolicyRule action=v1.PodFailurePolicyAction
batch.v1.SuccessPolicyRule succeededCount* succeededIndexes*
batch.v1.UncountedTerminatedPods failed=[]types.UID succeeded=[]types.UID
certificates.v1.CertificateSigningRequestCondition lastTransitionTime! lastUpdateTime! status=v1.ConditionStatus type=v1.RequestConditionType
certificates.v1.CertificateSigningRequestSpec expirationSeconds* extra=map[string]v1.ExtraValue usages=[]v1.KeyUsage
coordination.v1.LeaseSpec holderIdentity* leaseDurationSeconds* leaseTransitions* preferredHolder* strategy*=v1.CoordinatedLeaseStrategy
core.v1.AppArmorProfile localhostProfile* type=v1.AppArmorProfileType
core.v1.AttachedVolume name=v1.UniqueVolumeName
core.v1.AzureDiskVolumeSource cachingMode*=v1.AzureDataDiskCachingMode fsType* kind*=v1.AzureDataDiskKind readOnly*
core.v1.AzureFilePersistentVolumeSource secretNamespace*!
core.v1.CSIVolumeSource fsType* readOnly*
core.v1.Capabilities add=[]v1.Capability drop=[]v1.Capability
core.v1.ClientIPConfig timeoutSeconds*
core.v1.ClusterTrustBundleProjection name* optional* signerName*
core.v1.ComponentCondition status=v1.ConditionStatus type=v1.ComponentConditionType
core.v1.ConfigMap immutable*
core.v1.ConfigMapEnvSource name? optional*
core.v1.ConfigMapKeySelector name? optional*
core.v1.ConfigMapNodeConfigSource uid=types.UID
core.v1.ConfigMapProjection name? optional*
core.v1.ConfigMapVolumeSource defaultMode* name? optional*
core.v1.Container imagePullPolicy=v1.PullPolicy restartPolicy*=v1.ContainerRestartPolicy terminationMessagePolicy=v1.TerminationMessagePolicy
core.v1.ContainerImage names!
core.v1.ContainerPort protocol=v1.Protocol
core.v1.ContainerResizePolicy resourceName=v1.ResourceName restartPolicy=v1.ResourceResizeRestartPolicy
core.v1.ContainerRestartRule action?=v1.ContainerRestartRuleAction
core.v1.ContainerRestartRuleOnExitCodes operator?=v1.ContainerRestartRuleOnExitCodesOperator
core.v1.ContainerStateRunning startedAt!
core.v1.ContainerStateTerminated finishedAt! startedAt!
core.v1.ContainerStatus allocatedResources=v1.ResourceList started* stopSignal*=v1.Signal
core.v1.DownwardAPIVolumeFile mode*
core.v1.DownwardAPIVolumeSource defaultMode*
core.v1.EmptyDirVolumeSource medium=v1.StorageMedium
core.v1.EndpointAddress nodeName*
core.v1.EndpointPort appProtocol* protocol=v1.Protocol
core.v1.EphemeralContainer imagePullPolicy=v1.PullPolicy restartPolicy*=v1.ContainerRestartPolicy terminationMessagePolicy=v1.TerminationMessagePolicy
core.v1.Event eventTime! firstTimestamp! lastTimestamp!
core.v1.EventSeries lastObservedTime!
core.v1.FCVolumeSource lun*
core.v1.FileKeySelector optional*
core.v1.GRPCAction service*
core.v1.GlusterfsPersistentVolumeSource endpointsNamespace*
core.v1.HTTPGetAction port! scheme=v1.URIScheme
core.v1.HostPathVolumeSource type*=v1.HostPathType
core.v1.ISCSIPersistentVolumeSource initiatorName*
core.v1.ISCSIVolumeSource initiatorName*
core.v1.ImageVolumeSource pullPolicy=v1.PullPolicy
core.v1.KeyToPath mode*
core.v1.Lifecycle stopSignal*=v1.Signal
core.v1.LimitRangeItem default=v1.ResourceList defaultRequest=v1.ResourceList max=v1.ResourceList maxLimitRequestRatio=v1.ResourceList min=v1.ResourceList type=v1.LimitType
core.v1.LoadBalancerIngress ipMode*=v1.LoadBalancerIPMode
core.v1.LocalObjectReference name?
core.v1.LocalVolumeSource fsType*
core.v1.ModifyVolumeStatus status=v1.PersistentVolumeClaimModifyVolumeStatus
core.v1.NamespaceCondition lastTransitionTime! status=v1.ConditionStatus type=v1.NamespaceConditionType
core.v1.NamespaceSpec finalizers=[]v1.FinalizerName
core.v1.NamespaceStatus phase=v1.NamespacePhase
core.v1.NodeAddress type=v1.NodeAddressType
core.v1.NodeCondition lastHeartbeatTime! lastTransitionTime! status=v1.ConditionStatus type=v1.NodeConditionType
core.v1.NodeFeatures supplementalGroupsPolicy*
core.v1.NodeRuntimeHandlerFeatures recursiveReadOnlyMounts* userNamespaces*
core.v1.NodeSelectorRequirement operator=v1.NodeSelectorOperator
core.v1.NodeStatus allocatable=v1.ResourceList capacity=v1.ResourceList phase=v1.NodePhase volumesInUse=[]v1.UniqueVolumeName
core.v1.NodeSwapStatus capacity*
core.v1.ObjectReference uid=types.UID
core.v1.PersistentVolumeClaimCondition lastProbeTime! lastTransitionTime! status=v1.ConditionStatus type=v1.PersistentVolumeClaimConditionType
core.v1.PersistentVolumeClaimSpec accessModes=[]v1.PersistentVolumeAccessMode storageClassName* volumeAttributesClassName* volumeMode*=v1.PersistentVolumeMode
core.v1.PersistentVolumeClaimStatus accessModes=[]v1.PersistentVolumeAccessMode allocatedResourceStatuses=map[v1.ResourceName]v1.ClaimResourceStatus allocatedResources=v1.ResourceList capacity=v1.ResourceList currentVolumeAttributesClassName* phase=v1.PersistentVolumeClaimPhase
core.v1.PersistentVolumeSpec accessModes=[]v1.PersistentVolumeAccessMode capacity=v1.ResourceList persistentVolumeReclaimPolicy=v1.PersistentVolumeReclaimPolicy volumeAttributesClassName* volumeMode*=v1.PersistentVolumeMode
core.v1.PersistentVolumeStatus phase=v1.PersistentVolumePhase
core.v1.PodCertificateProjection maxExpirationSeconds* keyType? signerName?
core.v1.PodCondition lastProbeTime! lastTransitionTime! status=v1.ConditionStatus type=v1.PodConditionType
core.v1.PodDNSConfigOption value*
core.v1.PodOS name=v1.OSName
core.v1.PodReadinessGate conditionType=v1.PodConditionType
core.v1.PodResourceClaim resourceClaimName* resourceClaimTemplateName*
core.v1.PodResourceClaimStatus resourceClaimName*
core.v1.PodSecurityContext fsGroup* fsGroupChangePolicy*=v1.PodFSGroupChangePolicy runAsGroup* runAsNonRoot* runAsUser* seLinuxChangePolicy*=v1.PodSELinuxChangePolicy supplementalGroupsPolicy*=v1.SupplementalGroupsPolicy
core.v1.PodSpec activeDeadlineSeconds* automountServiceAccountToken* dnsPolicy=v1.DNSPolicy enableServiceLinks* hostUsers* hostnameOverride* overhead=v1.ResourceList preemptionPolicy*=v1.PreemptionPolicy priority* restartPolicy=v1.RestartPolicy runtimeClassName* setHostnameAsFQDN* shareProcessNamespace* terminationGracePeriodSeconds*
core.v1.PodStatus phase=v1.PodPhase qosClass=v1.PodQOSClass resize=v1.PodResizeStatus
core.v1.PortStatus error* protocol=v1.Protocol
core.v1.Probe terminationGracePeriodSeconds*
core.v1.ProjectedVolumeSource defaultMode* sources!
core.v1.ReplicationControllerCondition lastTransitionTime! status=v1.ConditionStatus type=v1.ReplicationControllerConditionType
core.v1.ReplicationControllerSpec minReadySeconds? replicas*
core.v1.ResourceFieldSelector divisor!
core.v1.ResourceHealth health=v1.ResourceHealthStatus resourceID=v1.ResourceID
core.v1.ResourceQuotaSpec hard=v1.ResourceList scopes=[]v1.ResourceQuotaScope
core.v1.ResourceQuotaStatus hard=v1.ResourceList used=v1.ResourceList
core.v1.ResourceRequirements limits=v1.ResourceList requests=v1.ResourceList
core.v1.ResourceStatus name=v1.ResourceName
core.v1.ScaleIOPersistentVolumeSource secretRef!
core.v1.ScaleIOVolumeSource secretRef!
core.v1.ScopedResourceSelectorRequirement operator=v1.ScopeSelectorOperator scopeName=v1.ResourceQuotaScope
core.v1.SeccompProfile localhostProfile* type=v1.SeccompProfileType
core.v1.Secret immutable* type=v1.SecretType
core.v1.SecretEnvSource name? optional*
core.v1.SecretKeySelector name? optional*
core.v1.SecretProjection name? optional*
core.v1.SecretVolumeSource defaultMode* optional*
core.v1.SecurityContext allowPrivilegeEscalation* privileged* procMount*=v1.ProcMountType readOnlyRootFilesystem* runAsGroup* runAsNonRoot* runAsUser*
core.v1.ServiceAccount automountServiceAccountToken*
core.v1.ServiceAccountTokenProjection expirationSeconds*
core.v1.ServicePort appProtocol* protocol=v1.Protocol
core.v1.ServiceSpec allocateLoadBalancerNodePorts* externalTrafficPolicy=v1.ServiceExternalTrafficPolicy internalTrafficPolicy*=v1.ServiceInternalTrafficPolicy ipFamilies=[]v1.IPFamily ipFamilyPolicy*=v1.IPFamilyPolicy loadBalancerClass* sessionAffinity=v1.ServiceAffinity trafficDistribution* type=v1.ServiceType
core.v1.TCPSocketAction port!
core.v1.Taint effect=v1.TaintEffect
core.v1.Toleration effect=v1.TaintEffect operator=v1.TolerationOperator tolerationSeconds*
core.v1.TopologySpreadConstraint minDomains* nodeAffinityPolicy*=v1.NodeInclusionPolicy nodeTaintsPolicy*=v1.NodeInclusionPolicy whenUnsatisfiable=v1.UnsatisfiableConstraintAction
core.v1.TypedLocalObjectReference apiGroup*!
core.v1.TypedObjectReference apiGroup*! namespace*
core.v1.VolumeMount mountPropagation*=v1.MountPropagationMode recursiveReadOnly*=v1.RecursiveReadOnlyMode
core.v1.VolumeMountStatus recursiveReadOnly*=v1.RecursiveReadOnlyMode
core.v1.VolumeResourceRequirements limits=v1.ResourceList requests=v1.ResourceList
core.v1.WindowsSecurityContextOptions gmsaCredentialSpec* gmsaCredentialSpecName* hostProcess* runAsUserName*
discovery.v1.Endpoint hostname* nodeName* zone*
discovery.v1.EndpointConditions ready* serving* terminating*
discovery.v1.EndpointPort appProtocol* name* port* protocol*=v1.Protocol
discovery.v1.EndpointSlice addressType=v1.AddressType ports!
events.v1.Event deprecatedFirstTimestamp! deprecatedLastTimestamp! eventTime!
events.v1.EventSeries lastObservedTime!
flowcontrol.v1.ExemptPriorityLevelConfiguration lendablePercent* nominalConcurrencyShares*
flowcontrol.v1.FlowDistinguisherMethod type=v1.FlowDistinguisherMethodType
flowcontrol.v1.FlowSchemaCondition lastTransitionTime! status=v1.ConditionStatus type=v1.FlowSchemaConditionType
flowcontrol.v1.LimitResponse type=v1.LimitResponseType
flowcontrol.v1.LimitedPriorityLevelConfiguration borrowingLimitPercent* lendablePercent* nominalConcurrencyShares*!
flowcontrol.v1.PriorityLevelConfigurationCondition lastTransitionTime! status=v1.ConditionStatus type=v1.PriorityLevelConfigurationConditionType
flowcontrol.v1.PriorityLevelConfigurationSpec type=v1.PriorityLevelEnablement
flowcontrol.v1.ResourcePolicyRule namespaces!
flowcontrol.v1.Subject kind=v1.SubjectKind
networking.v1.HTTPIngressPath pathType*!=v1.PathType
networking.v1.IngressClassParametersReference apiGroup* namespace* scope*!
networking.v1.IngressPortStatus error* protocol=v1.Protocol
networking.v1.IngressSpec ingressClassName*
networking.v1.NetworkPolicyPort endPort* protocol*=v1.Protocol
networking.v1.NetworkPolicySpec policyTypes=[]v1.PolicyType
node.v1.Overhead podFixed=v1.ResourceList
policy.v1.PodDisruptionBudgetSpec unhealthyPodEvictionPolicy*=v1.UnhealthyPodEvictionPolicyType
rbac.v1.ClusterRole rules!
rbac.v1.Role rules!
resource.v1.AllocatedDeviceStatus conditions! shareID*
resource.v1.CapacityRequestPolicy default!
resource.v1.CapacityRequirements requests=map[v1.QualifiedName]resource.Quantity
resource.v1.Counter value!
resource.v1.CounterSet counters?
resource.v1.Device allNodes* allowMultipleAllocations* attributes=map[v1.QualifiedName]v1.DeviceAttribute bindsToNode* capacity=map[v1.QualifiedName]v1.DeviceCapacity nodeName*
resource.v1.DeviceAllocationConfiguration source=v1.AllocationConfigSource
resource.v1.DeviceAttribute bool* int* string* version*
resource.v1.DeviceCapacity value!
resource.v1.DeviceClaim requests!
resource.v1.DeviceClassSpec extendedResourceName*
resource.v1.DeviceConstraint distinctAttribute*=v1.FullyQualifiedName matchAttribute*=v1.FullyQualifiedName
resource.v1.DeviceCounterConsumption counters?
resource.v1.DeviceRequestAllocationResult adminAccess* consumedCapacity=map[v1.QualifiedName]resource.Quantity shareID*=types.UID
resource.v1.DeviceSubRequest allocationMode=v1.DeviceAllocationMode
resource.v1.DeviceTaint effect=v1.DeviceTaintEffect
resource.v1.DeviceToleration effect=v1.DeviceTaintEffect operator=v1.DeviceTolerationOperator tolerationSeconds*
resource.v1.ExactDeviceRequest adminAccess* allocationMode=v1.DeviceAllocationMode
resource.v1.OpaqueDeviceConfiguration parameters!
resource.v1.ResourceClaimConsumerReference uid=types.UID
resource.v1.ResourceSliceSpec allNodes* devices! nodeName* perDeviceNodeSelection*
scheduling.v1.PriorityClass preemptionPolicy*=v1.PreemptionPolicy
storage.v1.CSIDriverSpec attachRequired* fsGroupPolicy*=v1.FSGroupPolicy nodeAllocatableUpdatePeriodSeconds* podInfoOnMount* requiresRepublish* seLinuxMount* storageCapacity* volumeLifecycleModes=[]v1.VolumeLifecycleMode
storage.v1.CSINodeDriver topologyKeys!
storage.v1.StorageClass allowVolumeExpansion* reclaimPolicy*=v1.PersistentVolumeReclaimPolicy volumeBindingMode*=v1.VolumeBindingMode
storage.v1.TokenRequest expirationSeconds*
storage.v1.VolumeAttachmentSource persistentVolumeName*
storage.v1.VolumeError errorCode* time!
storage.v1.VolumeNodeResources count*
apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion strategy=v1.ConversionStrategyType
apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition lastTransitionTime! status=v1.ConditionStatus type=v1.CustomResourceDefinitionConditionType
apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec scope=v1.ResourceScope
apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus conditions! storedVersions!
apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion deprecationWarning*
apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale labelSelectorPath*
apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps $ref* $schema=v1.JSONSchemaURL definitions=v1.JSONSchemaDefinitions dependencies=v1.JSONSchemaDependencies maxItems* maxLength* maxProperties* maximum* minItems* minLength* minProperties* minimum* multipleOf* x-kubernetes-list-type* x-kubernetes-map-type* x-kubernetes-preserve-unknown-fields* x-kubernetes-validations=v1.ValidationRules
apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference path* port*
apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule optionalOldSelf* reason*=v1.FieldValueErrorReason
apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig url*
apimachinery.pkg.apis.meta.v1.Condition lastTransitionTime! status=v1.ConditionStatus
apimachinery.pkg.apis.meta.v1.DeleteOptions gracePeriodSeconds* ignoreStoreReadErrorWithClusterBreakingPotential* orphanDependents* propagationPolicy*=v1.DeletionPropagation
apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement operator=v1.FieldSelectorOperator
apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement operator=v1.LabelSelectorOperator
apimachinery.pkg.apis.meta.v1.ListMeta remainingItemCount*
apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry operation=v1.ManagedFieldsOperationType
apimachinery.pkg.apis.meta.v1.ObjectMeta deletionGracePeriodSeconds* managedFields* uid=types.UID
apimachinery.pkg.apis.meta.v1.OwnerReference blockOwnerDeletion* controller* uid=types.UID
apimachinery.pkg.apis.meta.v1.Preconditions resourceVersion* uid*=types.UID
kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition lastTransitionTime! status=v1.ConditionStatus type=v1.APIServiceConditionType
kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference port*
networking.v1.IPAddressSpec parentRef?
networking.v1.ParentReference name? resource?
resource.v1.CapacityRequestPolicyRange min?
`
