{{/* The URL of the HTTP port of a node that remains when the cluster shrinks. */}}
{{- define "fjordmq.apiUrl" -}}
{{- $first := printf "%s-0.%s" (include "fjordmq.fullname" .) (include "fjordmq.podDomain" .) -}}
{{ .Values.scaleIn.url | default (printf "%s://%s:18083" (include "fjordmq.httpScheme" .) $first) }}
{{- end }}

{{/*
A container that runs a command of bin/fjordmq: the chart, the name, the arguments, and the secret with an account. The
secret of a public CA, such as Let's Encrypt, has no ca.crt; then Java's own list of CAs applies.
*/}}
{{- define "fjordmq.command" -}}
{{- $chart := index . 0 -}}
{{- $secret := index . 3 -}}
name: {{ index . 1 }}
image: {{ include "fjordmq.image" $chart }}
imagePullPolicy: {{ $chart.Values.image.pullPolicy }}
{{- if $chart.Values.dashboard.tls.enabled }}
command:
  - sh
  - -c
  - |
    ca=/etc/fjordmq/tls/dashboard/ca.crt
    [ ! -s "$ca" ] || set -- "$@" --cacert "$ca"
    exec fjordmq "$@"
  - fjordmq
{{- else }}
command: [fjordmq]
{{- end }}
args: {{ index . 2 | toJson }}
securityContext:
  {{- toYaml $chart.Values.containerSecurityContext | nindent 2 }}
env:
  - name: FJORDMQ_API_URL
    value: {{ include "fjordmq.apiUrl" $chart }}
  - name: FJORDMQ_API_KEY
    valueFrom:
      secretKeyRef:
        name: {{ $secret }}
        key: username
  - name: FJORDMQ_API_SECRET
    valueFrom:
      secretKeyRef:
        name: {{ $secret }}
        key: password
resources:
  requests:
    cpu: 100m
    memory: 256Mi
  limits:
    memory: 512Mi
volumeMounts:
  - name: tmp
    mountPath: /tmp
  {{- if $chart.Values.dashboard.tls.enabled }}
  - name: ca
    mountPath: /etc/fjordmq/tls/dashboard
    readOnly: true
  {{- end }}
{{- end }}

{{/* What the pods of such containers have in common. */}}
{{- define "fjordmq.commandPod" -}}
restartPolicy: Never
serviceAccountName: {{ include "fjordmq.serviceAccountName" . }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: {}
  {{- if .Values.dashboard.tls.enabled }}
  - name: ca
    secret:
      secretName: {{ include "fjordmq.dashboardSecret" . }}
      optional: true # ca.crt may be missing
      items:
        - key: ca.crt
          path: ca.crt
  {{- end }}
{{- end }}
