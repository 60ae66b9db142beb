{{- define "fjordmq.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "fjordmq.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{- $name := include "fjordmq.name" . -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "fjordmq.headless" -}}
{{ include "fjordmq.fullname" . }}-headless
{{- end }}

{{/* The DNS domain of the pods: POD.DOMAIN */}}
{{- define "fjordmq.podDomain" -}}
{{ include "fjordmq.headless" . }}.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}
{{- end }}

{{- define "fjordmq.selectorLabels" -}}
app.kubernetes.io/name: {{ include "fjordmq.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "fjordmq.podLabels" -}}
{{ include "fjordmq.selectorLabels" . }}
app.kubernetes.io/component: broker
{{- end }}

{{- define "fjordmq.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "fjordmq.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "fjordmq.image" -}}
{{- $repository := required "image.repository is empty: the image is not published yet; build it, push it to your registry, and set image.repository, for example to registry.example.com/fjordmq (docs/KUBERNETES.md)" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "fjordmq.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "fjordmq.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end }}

{{- define "fjordmq.administratorSecret" -}}
{{ .Values.administrator.existingSecret | default (printf "%s-administrator" (include "fjordmq.fullname" .)) }}
{{- end }}

{{/* The secret with the certificate of the listeners. */}}
{{- define "fjordmq.sslSecret" -}}
{{- if .Values.ssl.useExisting -}}
{{ required "ssl.existingName must name a secret if ssl.useExisting is true" .Values.ssl.existingName }}
{{- else -}}
{{ include "fjordmq.fullname" . }}-tls
{{- end -}}
{{- end }}

{{/* The secret with the certificate of the HTTP port. */}}
{{- define "fjordmq.dashboardSecret" -}}
{{- if .Values.dashboard.tls.existingSecret -}}
{{ .Values.dashboard.tls.existingSecret }}
{{- else if .Values.ssl.enabled -}}
{{ include "fjordmq.sslSecret" . }}
{{- else -}}
{{ fail "dashboard.tls needs a certificate: set dashboard.tls.existingSecret or ssl.enabled" }}
{{- end -}}
{{- end }}

{{- define "fjordmq.clusterSecret" -}}
{{ .Values.cluster.tls.existingSecret | default (printf "%s-cluster-tls" (include "fjordmq.fullname" .)) }}
{{- end }}

{{- define "fjordmq.httpScheme" -}}
{{ ternary "https" "http" .Values.dashboard.tls.enabled }}
{{- end }}

{{/* The number of nodes before this upgrade; 0 if unknown. */}}
{{- define "fjordmq.previousReplicas" -}}
{{- $existing := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "fjordmq.fullname" .) -}}
{{- if .Values.scaleIn.from -}}
{{ .Values.scaleIn.from }}
{{- else if $existing -}}
{{ $existing.spec.replicas }}
{{- else -}}
0
{{- end -}}
{{- end }}

