{{/*
The text of a value. Helm reads numbers as floating point and would print a million as 1e+06.
*/}}
{{- define "fjordmq.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{ int64 . }}
{{- else if not (kindIs "invalid" .) -}}
{{ toString . }}
{{- end -}}
{{- end }}

{{/*
Adds the environment variables of a value of `config` to a dict. Takes a list of the dict, the name of the variable so
far and the value. Names of tenants, and names inside providers such as HTTP headers, keep their case.
*/}}
{{- define "fjordmq.addVariables" -}}
{{- $variables := index . 0 -}}
{{- $name := index . 1 -}}
{{- $value := index . 2 -}}
{{- $keepsCase := regexMatch "^FJORDMQ_(SECURITYCONFIG__AUTH[A-Z]+__[0-9]+__.+|TENANTS)$" $name -}}
{{- if kindIs "map" $value -}}
  {{- range $key, $inner := $value -}}
    {{- $part := ternary $key (upper $key) $keepsCase -}}
    {{- $separator := ternary "" "__" (eq $name "FJORDMQ_") -}}
    {{- include "fjordmq.addVariables" (list $variables (printf "%s%s%s" $name $separator $part) $inner) -}}
  {{- end -}}
{{- else if and (kindIs "slice" $value) $value (kindIs "map" (first $value)) -}}
  {{- range $index, $inner := $value -}}
    {{- include "fjordmq.addVariables" (list $variables (printf "%s__%d" $name $index) $inner) -}}
  {{- end -}}
{{- else if kindIs "slice" $value -}}
  {{- $texts := list -}}
  {{- range $value -}}{{- $texts = append $texts (include "fjordmq.text" .) -}}{{- end -}}
  {{- $_ := set $variables $name (join "," $texts) -}}
{{- else -}}
  {{- $_ := set $variables $name (include "fjordmq.text" $value) -}}
{{- end -}}
{{- end }}

{{/* The listeners, the HTTP port and TLS, as variables in a dict. */}}
{{- define "fjordmq.addPorts" -}}
{{- $variables := index . 0 -}}
{{- with index . 1 -}}
{{- $_ := set $variables "FJORDMQ_MQTTSERVERCONFIG__TCPLISTENER__PORT" "1883" -}}
{{- if not .Values.listeners.mqtt -}}
  {{- $_ := set $variables "FJORDMQ_MQTTSERVERCONFIG__TCPLISTENER__HOST" "127.0.0.1" -}}
{{- end -}}
{{- if .Values.listeners.ws -}}
  {{- $_ := set $variables "FJORDMQ_MQTTSERVERCONFIG__WSLISTENER__PORT" "8083" -}}
{{- end -}}
{{- if .Values.ssl.enabled -}}
  {{- $clientAuth := .Values.ssl.clientAuth -}}
  {{- range $listener, $port := dict "TLSLISTENER" "8883" "WSSLISTENER" "8084" -}}
    {{- $prefix := printf "FJORDMQ_MQTTSERVERCONFIG__%s__" $listener -}}
    {{- $_ := set $variables (print $prefix "PORT") $port -}}
    {{- $_ := set $variables (print $prefix "CERTFILE") "/etc/fjordmq/tls/mqtt/tls.crt" -}}
    {{- $_ := set $variables (print $prefix "KEYFILE") "/etc/fjordmq/tls/mqtt/tls.key" -}}
    {{- if ne $clientAuth "none" -}}
      {{- $_ := set $variables (print $prefix "CLIENTAUTH") $clientAuth -}}
      {{- $_ := set $variables (print $prefix "TRUSTFILE") "/etc/fjordmq/tls/clients/ca.crt" -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- $_ := set $variables "FJORDMQ_HTTPCONFIG__HOST" "" -}}
{{- $_ := set $variables "FJORDMQ_HTTPCONFIG__PORT" "18083" -}}
{{- if .Values.dashboard.tls.enabled -}}
  {{- $_ := set $variables "FJORDMQ_HTTPCONFIG__CERTFILE" "/etc/fjordmq/tls/dashboard/tls.crt" -}}
  {{- $_ := set $variables "FJORDMQ_HTTPCONFIG__KEYFILE" "/etc/fjordmq/tls/dashboard/tls.key" -}}
{{- end -}}
{{- with .Values.metrics.serviceMonitor -}}
  {{- if and .enabled (not .basicAuthSecret) -}}
    {{- $_ := set $variables "FJORDMQ_HTTPCONFIG__ANONYMOUSMETRICS" "all" -}}
  {{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* This node and its cluster, as variables in a dict. */}}
{{- define "fjordmq.addCluster" -}}
{{- $variables := index . 0 -}}
{{- with index . 1 -}}
{{- $name := .Values.cluster.name | default (printf "%s-%s" .Release.Namespace (include "fjordmq.fullname" .)) -}}
{{- $_ := set $variables "FJORDMQ_CLUSTERCONFIG__ENV" $name -}}
{{- $_ := set $variables "FJORDMQ_CLUSTERCONFIG__PORT" "8899" -}}
{{- if .Values.cluster.tls.enabled -}}
  {{- $_ := set $variables "FJORDMQ_CLUSTERCONFIG__CERTFILE" "/etc/fjordmq/tls/cluster/tls.crt" -}}
  {{- $_ := set $variables "FJORDMQ_CLUSTERCONFIG__KEYFILE" "/etc/fjordmq/tls/cluster/tls.key" -}}
  {{- $_ := set $variables "FJORDMQ_CLUSTERCONFIG__TRUSTFILE" "/etc/fjordmq/tls/cluster/ca.crt" -}}
{{- end -}}
{{- $_ := set $variables "FJORDMQ_DRAINCONFIG__ATSTOP" "true" -}}
{{- $_ := set $variables "FJORDMQ_LOGCONFIG__FORMAT" .Values.log.format -}}
{{- if .Values.administrator.enabled -}}
  {{- $_ := set $variables "FJORDMQ_APICONFIG__FIRSTADMINISTRATOR__PASSWORDFILE" "/etc/fjordmq/administrator/password" -}}
{{- end -}}
{{- if .Values.jvmOpts -}}
  {{- $_ := set $variables "FJORDMQ_JVM_OPTS" .Values.jvmOpts -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/*
The environment of a node. Seeds and the number of nodes come from a config map, so that pods read the current values
when they start, but a change of replicaCount restarts no pod.
*/}}
{{- define "fjordmq.environment" -}}
{{- $fixed := list "FJORDMQ_BOOTSTRAP" "FJORDMQ_EXPECTNODES" "FJORDMQ_HTTPCONFIG__PORT" -}}
{{- range list "NODENAME" "HOST" "PORT" "SEEDENDPOINTS" -}}
  {{- $fixed = append $fixed (print "FJORDMQ_CLUSTERCONFIG__" .) -}}
{{- end -}}
{{- $given := dict -}}
{{- include "fjordmq.addVariables" (list $given "FJORDMQ_" .Values.config) -}}
{{- range $name, $value := .Values.env -}}
  {{- $_ := set $given $name (include "fjordmq.text" $value) -}}
{{- end -}}
{{- range $name, $value := $given -}}
  {{- if has $name $fixed -}}
    {{- fail (printf "the chart sets %s itself; remove it from config and env" $name) -}}
  {{- end -}}
{{- end -}}
{{- $variables := dict -}}
{{- include "fjordmq.addPorts" (list $variables .) -}}
{{- include "fjordmq.addCluster" (list $variables .) -}}
{{- range $name, $value := $given -}}{{- $_ := set $variables $name $value -}}{{- end -}}
- name: FJORDMQ_CLUSTERCONFIG__NODENAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: FJORDMQ_CLUSTERCONFIG__HOST
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
{{- $keys := dict "BOOTSTRAP" "bootstrap" "CLUSTERCONFIG__SEEDENDPOINTS" "seedEndpoints" "EXPECTNODES" "expectNodes" }}
{{- range $name, $key := $keys }}
- name: FJORDMQ_{{ $name }}
  valueFrom:
    configMapKeyRef:
      name: {{ include "fjordmq.fullname" $ }}-cluster
      key: {{ $key }}
{{- end }}
{{- if .Values.administrator.enabled }}
- name: FJORDMQ_APICONFIG__FIRSTADMINISTRATOR__USERNAME
  valueFrom:
    secretKeyRef:
      name: {{ include "fjordmq.administratorSecret" . }}
      key: username
{{- end }}
{{- range $name, $value := $variables }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
