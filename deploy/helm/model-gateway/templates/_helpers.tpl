{{- define "gateway.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "gateway.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "gateway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "gateway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "gateway.database" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "database.existingSecret must name a Secret with the PostgreSQL URL" .Values.database.existingSecret }}
      key: {{ .Values.database.key }}
{{- end }}

{{- define "gateway.keysSecret" -}}
{{ include "gateway.name" . }}-keys
{{- end }}

{{/* Keys that pods read from a Secret, as JSON: variable → { value, made }. Those that the configuration gives are left to it. */}}
{{- define "gateway.keys" -}}
{{- $keys := dict "GATEWAY_ADMIN_KEY" (dict "value" .Values.adminKey "made" "letters") }}
{{- if or .Values.encryptionKey.existingSecret (not (dig "security" "encryption_key" "" .Values.config)) }}
{{- $_ := set $keys "GATEWAY_ENCRYPTION_KEY" (dict "value" .Values.encryptionKey "made" "bytes") }}
{{- end }}
{{- if and (not .Values.metricsOpen) (or .Values.metricsKey.existingSecret (not (dig "server" "metrics_key" "" .Values.config))) }}
{{- $_ := set $keys "GATEWAY_METRICS_KEY" (dict "value" .Values.metricsKey "made" "letters") }}
{{- end }}
{{- $keys | toJson }}
{{- end }}

{{/* The claim of kept files; empty where there is none. */}}
{{- define "gateway.claim" -}}
{{- if .Values.files.existingClaim }}{{ .Values.files.existingClaim }}{{ else if .Values.files.persistence.enabled }}{{ include "gateway.name" . }}-files{{ end }}
{{- end }}

{{/* "true" where the claim is on one node at a time, so that there is one pod at a time. */}}
{{- define "gateway.oneNode" -}}
{{- with .Values.files.persistence }}
{{- if and .enabled (not $.Values.files.existingClaim) (not (has "ReadWriteMany" .accessModes)) }}
{{- if or $.Values.autoscaling.enabled (gt (int $.Values.replicaCount) 1) }}
{{- fail "files.persistence.accessModes: a volume of one node needs autoscaling.enabled=false and replicaCount=1" }}
{{- end -}}
true
{{- end }}
{{- end }}
{{- end }}

{{/* Ports that pods call: those of egressPorts and of the addresses in the configuration and the variables, as a list in JSON. */}}
{{- define "gateway.egressPorts" -}}
{{- $ports := list }}
{{- range .Values.networkPolicy.egressPorts }}{{ $ports = append $ports (int .) }}{{ end }}
{{- $texts := list (toYaml .Values.config) }}
{{- range .Values.env }}{{ $texts = append $texts .value }}{{ end }}
{{- range regexFindAll `://[^/\s'"]*:[0-9]{1,5}(?:[/?#\s'"]|$)` (join "\n" $texts) -1 }}
{{- $ports = append $ports (. | regexFind `[0-9]+[^0-9]?$` | regexFind `[0-9]+` | int) }}
{{- end }}
{{- without ($ports | uniq) 443 80 | sortAlpha | toJson }}
{{- end }}
