package io.fjordmq.broker.mosquitto;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The directives of mosquitto.conf, and how each is converted. */
final class Directives {
  /** Larger packets need other limits to be raised as well; see docs/CONFIGURATION.md. */
  private static final long MAX_PACKET_BYTES = 1_500_000;

  private static final String LARGER =
      "FjordMQ's default of 1 MiB per packet applies; docs/CONFIGURATION.md says which limits to"
          + " raise together for larger packets";

  private static final String STORED =
      "FjordMQ stores every acknowledged message of a persistent session before it acknowledges it;"
          + " it does not read mosquitto's database";

  private static final String LOG = "configure logging in conf/logback.xml";
  private static final String PROCESS = "bin/standalone.sh or the service manager does this";
  private static final String PLUGIN =
      "FjordMQ has its own plugins (docs/PLUGINS.md) and does not load those of mosquitto";
  private static final String PSK = "FjordMQ does not support TLS with pre-shared keys";
  private static final String UNLIMITED =
      "FjordMQ bounds everything that uses memory; its default applies";

  private static final Map<String, Long> SECONDS =
      Map.of("h", 3_600L, "d", 86_400L, "w", 604_800L, "m", 2_592_000L, "y", 31_536_000L);

  private static final Pattern EXPIRATION = Pattern.compile("([0-9]{1,9})([hdwmy])");

  /** Directives that only bridges have. */
  private static final Set<String> OF_BRIDGES =
      Set.of(
          "address",
          "addresses",
          "cleansession",
          "clientid",
          "idle_timeout",
          "keepalive_interval",
          "local_cleansession",
          "local_clientid",
          "local_password",
          "local_username",
          "notification_topic",
          "notifications",
          "notifications_local_only",
          "password",
          "remote_clientid",
          "remote_password",
          "remote_username",
          "restart_timeout",
          "round_robin",
          "start_type",
          "threshold",
          "topic",
          "try_private",
          "username");

  private static final Map<String, Rule> RULES = new LinkedHashMap<>();

  static {
    listeners();
    tls();
    security();
    limits();
    persistence();
    process();
  }

  private Directives() {}

  /** Applies a line to the draft. */
  static void apply(ConfigDraft draft, ConfLine line) {
    if (line.name().equals("connection")) {
      draft.beginBridge();
      draft.omit(line, "FjordMQ has no bridges, so the entire bridge is omitted");
      return;
    }
    if (OF_BRIDGES.contains(line.name()) || line.name().startsWith("bridge_")) {
      if (!draft.isInBridge()) {
        draft.omit(line, "this directive is only for bridges, and FjordMQ has no bridges");
      }
      return;
    }
    Rule rule = rule(line.name());
    if (rule == null) {
      draft.omit(line, "unknown directive");
    } else {
      rule.apply(draft, line);
    }
  }

  private static @Nullable Rule rule(String name) {
    boolean isPluginOption = name.startsWith("plugin_opt_") || name.startsWith("auth_opt_");
    return isPluginOption ? Rule.omit(PLUGIN) : RULES.get(name);
  }

  private static void add(Rule rule, String... names) {
    for (String name : names) {
      RULES.put(name, rule);
    }
  }

  private static void listeners() {
    add(Directives::listener, "listener");
    add(
        (draft, line) -> {
          draft.listener().isNamed = true;
          port(draft, line, line.value());
        },
        "port");
    add(
        Rule.ofListener(
            (listener, value) -> {
              listener.isNamed = true;
              listener.host = value;
            }),
        "bind_address");
    add(Directives::protocol, "protocol");
    add(
        (draft, line) -> {
          if (line.value().matches("[1-9][0-9]{0,8}")) {
            draft.listener().keys.put("maxConnections", line.value());
          } else if (!line.value().equals("-1")) {
            draft.omit(line, "the value must be a number of connections, or -1");
          }
        },
        "max_connections");
    add(Rule.omit("listeners bind to addresses; set host instead"), "bind_interface");
    add(Rule.omit("set host to an IPv4 or IPv6 address instead"), "socket_domain");
    add(Rule.omit("FjordMQ has no mount points; tenants separate topics"), "mount_point");
    add(Rule.omitUnless("2", "FjordMQ always offers QoS 2"), "max_qos", "maximum_qos");
    add(
        Rule.omit(
            "FjordMQ has no such rule; sessionConfig.bindClientIdTo: username protects client"
                + " identifiers"),
        "use_username_as_clientid");
    add(Rule.omit("listeners accept all MQTT versions"), "accept_protocol_versions");
    add(Rule.omit("the MQTT listeners serve no files"), "http_dir");
    add(
        Rule.omit("FjordMQ has no such setting for WebSocket listeners"),
        "websockets_headers_size",
        "websockets_log_level",
        "websockets_origin",
        "packet_buffer_size");
    add(
        Rule.omit("set proxyProtocol, and proxyTrusted to the addresses of the proxies"),
        "enable_proxy_protocol",
        "proxy_protocol_v2_require_tls");
    add(Rule.omitUnless("true", "FjordMQ always sets TCP_NODELAY"), "set_tcp_nodelay");
  }

  private static void listener(ConfigDraft draft, ConfLine line) {
    String[] words = line.value().split("\\s+", 2);
    ConfigDraft.Listener listener = new ConfigDraft.Listener(line);
    listener.isNamed = true;
    draft.begin(listener);
    if (words[0].equals("0") && words.length == 2) {
      listener.unixPath = words[1];
    } else if (port(draft, line, words[0]) && words.length == 2) {
      listener.host = words[1];
    }
  }

  private static boolean port(ConfigDraft draft, ConfLine line, String text) {
    if (!text.matches("[0-9]{1,5}") || Integer.parseInt(text) > 65_535) {
      draft.omit(line, "the port must be between 0 and 65535; using 1883");
      return false;
    }
    draft.listener().port = Integer.parseInt(text);
    return true;
  }

  private static void protocol(ConfigDraft draft, ConfLine line) {
    switch (line.value()) {
      case "mqtt" -> draft.listener().isWebSocket = false;
      case "websockets" -> {
        draft.listener().isWebSocket = true;
        draft.remark(line, "clients must use the path /mqtt; mosquitto accepts any path");
      }
      default -> draft.omit(line, "FjordMQ supports only mqtt and websockets");
    }
  }

  private static void tls() {
    add(listenerFile("certFile"), "certfile");
    add(listenerFile("keyFile"), "keyfile");
    add(Rule.ofListener((listener, value) -> listener.authorities = value), "cafile");
    add(
        Rule.omit("FjordMQ reads the CA certificates of clients from one file (trustFile)"),
        "capath");
    add(
        (draft, line) -> draft.listener().requiresCertificate = Rule.flag(draft, line),
        "require_certificate");
    add(Directives::tlsVersion, "tls_version");
    add(
        Rule.omit(
            "mosquitto uses OpenSSL names, and FjordMQ uses standard names (ciphers); Mozilla's"
                + " intermediate profile applies"),
        "ciphers",
        "ciphers_tls1.3");
    add(Rule.text("securityConfig.crl.path"), "crlfile");
    add(Rule.omit("FjordMQ does not use Diffie-Hellman parameters"), "dhparamfile");
    add(
        Rule.omit("FjordMQ reads keys from files only"),
        "tls_engine",
        "tls_engine_kpass_sha1",
        "tls_keyform");
    add(Rule.omit("FjordMQ always checks the validity dates"), "disable_client_cert_date_checks");
    add(Rule.omit(PSK), "psk_file", "psk_hint");
    add(
        (draft, line) -> {
          if (Rule.flag(draft, line) && draft.isFirst(line)) {
            draft.settings.put("securityConfig.useCommonNameAsUsername", "true");
          }
        },
        "use_identity_as_username");
    add(
        Rule.omitUnless("false", "FjordMQ uses the common name (useCommonNameAsUsername)"),
        "use_subject_as_username");
  }

  private static Rule listenerFile(String key) {
    return (draft, line) -> draft.listener().keys.put(key, YamlWriter.text(line.value()));
  }

  private static void tlsVersion(ConfigDraft draft, ConfLine line) {
    switch (line.value().toLowerCase(Locale.ROOT)) {
      case "tlsv1.3" -> draft.listener().keys.put("protocols", "TLSv1.3");
      case "tlsv1.2" -> {
        // FjordMQ's default, TLS 1.2 and 1.3
      }
      default -> draft.omit(line, "FjordMQ supports TLSv1.2 and TLSv1.3 only, and accepts both");
    }
  }

  private static void security() {
    add(Rule.text("securityConfig.passwordFile"), "password_file");
    add(Rule.text("securityConfig.aclFile"), "acl_file");
    add(
        (draft, line) -> draft.allowAnonymous(Rule.flag(draft, line)),
        "allow_anonymous",
        "listener_allow_anonymous");
    add(
        (draft, line) -> {
          if (Rule.flag(draft, line)) {
            draft.setPerListener();
            draft.remark(
                line, "FjordMQ has the same users, permissions and limits on all listeners");
          }
        },
        "per_listener_settings");
    add(
        Rule.omit(PLUGIN),
        "plugin",
        "auth_plugin",
        "global_plugin",
        "plugin_load",
        "plugin_use",
        "auth_plugin_deny_special_chars",
        "enable_control_api");
    add(Rule.omit("FjordMQ does not restrict client identifiers by prefix"), "clientid_prefixes");
    add(
        Rule.omitUnless("true", "FjordMQ accepts clients without an identifier, as MQTT requires"),
        "allow_zero_length_clientid");
    add(
        Rule.omit("FjordMQ generates identifiers without a prefix"),
        "auto_id_prefix",
        "listener_auto_id_prefix");
    add(Rule.omit("FjordMQ checks a retained message when it is published"), "check_retain_source");
  }

  private static void limits() {
    Map<String, String> zero = Map.of("0", UNLIMITED);
    add(Rule.withSpecial(zero, 1, 65_534, "sessionConfig.maxInflight"), "max_inflight_messages");
    add(Rule.omit("FjordMQ limits the number of messages in flight"), "max_inflight_bytes");
    add(
        Rule.withSpecial(
            zero,
            1,
            Integer.MAX_VALUE,
            "sessionConfig.maxQueuedMessages",
            "inboxConfig.limits.maxMessages"),
        "max_queued_messages");
    add(
        Rule.withSpecial(
            zero,
            1_024,
            Integer.MAX_VALUE,
            "sessionConfig.maxQueuedBytes",
            "inboxConfig.limits.maxBytes"),
        "max_queued_bytes");
    Map<String, String> larger = Map.of("0", LARGER);
    add(
        Rule.withSpecial(larger, 1, MAX_PACKET_BYTES, "sessionConfig.maxPayloadBytes"),
        "message_size_limit");
    add(
        Rule.withSpecial(larger, 1_024, MAX_PACKET_BYTES, "sessionConfig.maxPacketBytes"),
        "max_packet_size");
    add(
        Rule.omit("sessionConfig.maxPacketBytes applies to all packets"),
        "packet_max_auth",
        "packet_max_connect",
        "packet_max_other",
        "packet_max_sub",
        "packet_max_un_sub");
    add(
        Rule.withSpecial(Map.of("65535", ""), 0, 65_535, "sessionConfig.maxKeepAliveSeconds"),
        "max_keepalive");
    add(Rule.number(0, 65_535, "sessionConfig.topicAliasMaximum"), "max_topic_alias");
    add(Rule.number(0, 65_535, "sessionConfig.outboundTopicAliases"), "max_topic_alias_broker");
    add(
        Rule.withSpecial(Map.of("-1", ""), 1, Integer.MAX_VALUE, "tenantConfig.maxConnections"),
        "global_max_connections");
    add(
        Rule.omit("FjordMQ limits connections (tenantConfig.maxConnections), not sessions"),
        "global_max_clients");
    add(
        Rule.omit("overloadConfig protects the memory; FJORDMQ_JVM_OPTS sets the size of the heap"),
        "memory_limit");
    add(
        Rule.omit("FjordMQ queues QoS 0 messages only while a client is connected"),
        "queue_qos0_messages");
    add(Rule.omitUnless("true", "FjordMQ always supports retained messages"), "retain_available");
    add(
        Rule.omit("publishers set the Message Expiry Interval of MQTT 5"),
        "retain_expiry_interval");
    add(
        Rule.omitUnless("false", "FjordMQ delivers with the lower QoS, as MQTT requires"),
        "upgrade_outgoing_qos");
    add(Rule.omit("removed from mosquitto; FjordMQ sends one copy"), "allow_duplicate_messages");
  }

  private static void persistence() {
    add(
        Rule.omitUnless("true", "FjordMQ always stores persistent sessions and retained messages"),
        "persistence");
    add(
        Rule.omit(STORED),
        "persistence_location",
        "persistence_file",
        "autosave_interval",
        "autosave_on_changes",
        "persistence_sync",
        "store_clean_interval");
    add(Directives::expiration, "persistent_client_expiration");
  }

  private static void expiration(ConfigDraft draft, ConfLine line) {
    Matcher matcher = EXPIRATION.matcher(line.value());
    Long unit = matcher.matches() ? SECONDS.get(matcher.group(2)) : null;
    if (unit == null) {
      draft.omit(line, "expected a number followed by h, d, w, m or y");
      return;
    }
    long seconds = Math.max(1, Math.min(0xFFFF_FFFFL, Long.parseLong(matcher.group(1)) * unit));
    draft.settings.put("sessionConfig.maxSessionExpirySeconds", Long.toString(seconds));
    draft.settings.put("sessionConfig.mqtt3SessionExpirySeconds", Long.toString(seconds));
  }

  private static void process() {
    add(
        Rule.omit(LOG),
        "log_dest",
        "log_facility",
        "log_timestamp",
        "log_timestamp_format",
        "log_type");
    add(
        (draft, line) ->
            draft.settings.put(
                "logConfig.clientConnections", Boolean.toString(Rule.flag(draft, line))),
        "connection_messages");
    add(Rule.omit(PROCESS), "pid_file", "user", "daemon");
    add(
        (draft, line) -> {
          if (line.value().equals("0")) {
            draft.settings.put("sysTopicsConfig.mosquitto", "false");
            draft.settings.put("sysTopicsConfig.emqx", "false");
          } else if (line.value().matches("[0-9]{1,5}")) {
            draft.settings.put("sysTopicsConfig.interval", line.value() + " s");
          } else {
            draft.omit(line, "the value is not a number of seconds");
          }
        },
        "sys_interval");
    add(Rule.omit("FjordMQ has no such setting"), "retry_interval", "max_log_entries");
  }
}
