{{/* Where pods run. */}}
{{- define "fjordmq.scheduling" -}}
{{- if .Values.affinity -}}
affinity:
  {{- toYaml .Values.affinity | nindent 2 }}
{{- else if ne .Values.podAntiAffinity "none" -}}
affinity:
  podAntiAffinity:
    {{- if eq .Values.podAntiAffinity "required" }}
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "fjordmq.podLabels" . | nindent 12 }}
    {{- else }}
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "fjordmq.podLabels" . | nindent 14 }}
    {{- end }}
{{- end }}
topologySpreadConstraints:
  {{- if .Values.topologySpreadConstraints }}
  {{- toYaml .Values.topologySpreadConstraints | nindent 2 }}
  {{- else }}
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "fjordmq.podLabels" . | nindent 8 }}
  {{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.schedulerName }}
schedulerName: {{ . }}
{{- end }}
{{- with .Values.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- end }}

{{- define "fjordmq.containerPorts" -}}
{{- if .Values.listeners.mqtt -}}
- name: mqtt
  containerPort: 1883
{{ end -}}
{{- if .Values.ssl.enabled -}}
- name: mqttssl
  containerPort: 8883
{{ end -}}
{{- if .Values.listeners.ws -}}
- name: ws
  containerPort: 8083
{{ end -}}
{{- if .Values.ssl.enabled -}}
- name: wss
  containerPort: 8084
{{ end -}}
- name: dashboard
  containerPort: 18083
- name: cluster
  containerPort: 8899
- name: raft
  containerPort: 8900
{{- end }}

{{/* A probe: the chart, the path, and the values of the probe. */}}
{{- define "fjordmq.probe" -}}
httpGet:
  path: {{ index . 1 }}
  port: dashboard
  scheme: {{ include "fjordmq.httpScheme" (index . 0) | upper }}
{{ toYaml (index . 2) }}
{{- end }}

{{/* The root file system is read-only. The log goes to standard output. */}}
{{- define "fjordmq.volumeMounts" -}}
- name: data
  mountPath: /var/lib/fjordmq
- name: tmp
  mountPath: /tmp
{{- if .Values.administrator.enabled }}
- name: administrator
  mountPath: /etc/fjordmq/administrator
  readOnly: true
{{- end }}
{{- range $name, $_ := fromYaml (include "fjordmq.certificates" .) }}
- name: tls-{{ $name }}
  mountPath: /etc/fjordmq/tls/{{ $name }}
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Directories below /etc/fjordmq/tls, and the secrets with their files. */}}
{{- define "fjordmq.certificates" -}}
{{- if .Values.ssl.enabled -}}
mqtt: {{ include "fjordmq.sslSecret" . }}
{{ if ne .Values.ssl.clientAuth "none" -}}
clients: {{ required "ssl.clientCaSecret must name a secret with the key ca.crt unless ssl.clientAuth is none" .Values.ssl.clientCaSecret }}
{{ end -}}
{{- end -}}
{{- if .Values.dashboard.tls.enabled -}}
dashboard: {{ include "fjordmq.dashboardSecret" . }}
{{ end -}}
{{- if .Values.cluster.tls.enabled -}}
cluster: {{ include "fjordmq.clusterSecret" . }}
{{ end -}}
{{- end }}

{{- define "fjordmq.volumes" -}}
{{- if not .Values.persistence.enabled -}}
- name: data
  emptyDir: {}
{{ end -}}
- name: tmp
  emptyDir:
    sizeLimit: 256Mi
{{- if .Values.administrator.enabled }}
- name: administrator
  secret:
    secretName: {{ include "fjordmq.administratorSecret" . }}
    items:
      - key: password
        path: password
{{- end }}
{{- range $name, $secret := fromYaml (include "fjordmq.certificates" .) }}
- name: tls-{{ $name }}
  secret:
    secretName: {{ $secret }}
    {{- if eq $name "clients" }}
    items:
      - key: ca.crt
        path: ca.crt
    {{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
