package io.fjordmq.broker.mosquitto;

import io.fjordmq.broker.mosquitto.ConfigDraft.Listener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of converting a mosquitto.conf.
 *
 * @param yaml the configuration file, which begins with the notes as comments
 * @param notes what could not be carried over or behaves differently, each with line and reason
 */
public record MosquittoImport(String yaml, List<String> notes) {
  /**
   * Converts a file, including its {@code include_dir}.
   *
   * @throws IOException if a file cannot be read; the message is for the operator
   */
  public static MosquittoImport of(Path file) throws IOException {
    List<String> omissions = new ArrayList<>();
    ConfigDraft draft = new ConfigDraft(omissions);
    for (ConfLine line : ConfReader.read(file, omissions)) {
      Directives.apply(draft, line);
    }
    complete(draft);
    List<String> notes = new ArrayList<>();
    draft.omissions.forEach(note -> notes.add("not carried over: " + note));
    draft.remarks.forEach(note -> notes.add("check: " + note));
    return new MosquittoImport(write(file, draft, notes), List.copyOf(notes));
  }

  /** Applies the defaults in which mosquitto differs from FjordMQ. */
  private static void complete(ConfigDraft draft) {
    Listener first = draft.listeners.get(0);
    boolean isLocalOnly = draft.listeners.size() == 1 && !first.isNamed;
    if (isLocalOnly) {
      first.host = "127.0.0.1"; // without listeners, mosquitto 2 serves this host only
    } else if (!first.isNamed) {
      draft.listeners.remove(0);
      if (first.isTls()) {
        draft.remarks.add(
            "TLS settings before the first listener are omitted, because they belong to no"
                + " listener");
      }
    }
    draft.completeAnonymous(isLocalOnly);
    draft.listeners.forEach(listener -> completeTls(draft, listener));
    raisePacketLimit(draft.settings);
  }

  private static void completeTls(ConfigDraft draft, Listener listener) {
    if (listener.isTls() && listener.requiresCertificate && !listener.authorities.isEmpty()) {
      listener.keys.put("trustFile", YamlWriter.text(listener.authorities));
      listener.keys.put("clientAuth", "required");
    } else if (listener.requiresCertificate) {
      ConfLine origin = listener.origin;
      draft.omissions.add(
          (origin == null ? "require_certificate" : origin.where() + ": require_certificate")
              + ": needs certfile, keyfile and cafile; set trustFile and clientAuth: required, or"
              + " clients need no certificate");
    }
  }

  /** A payload limit that exceeds the packet limit would have no effect. */
  private static void raisePacketLimit(Map<String, String> settings) {
    String payload = settings.get("sessionConfig.maxPayloadBytes");
    long overhead = 64 << 10;
    if (payload != null && Long.parseLong(payload) + overhead > 1 << 20) {
      settings.putIfAbsent(
          "sessionConfig.maxPacketBytes", Long.toString(Long.parseLong(payload) + overhead));
    }
  }

  private static String write(Path file, ConfigDraft draft, List<String> notes) {
    YamlWriter yaml = new YamlWriter();
    yaml.comment("Converted from " + file + " by 'bin/fjordmq import mosquitto'.");
    yaml.comment("Run 'bin/fjordmq check -c FILE' on this file before you use it.");
    if (!notes.isEmpty()) {
      yaml.comment("");
      notes.forEach(yaml::comment);
    }
    yaml.blankLine();
    yaml.key(0, "bootstrap", "true");
    yaml.section(0, "mqttServerConfig");
    Map<String, List<Map<String, String>>> byKind = new TreeMap<>();
    for (Listener listener : draft.listeners) {
      byKind.computeIfAbsent(listener.kind(), kind -> new ArrayList<>()).add(keys(listener));
    }
    byKind.forEach((kind, listeners) -> yaml.sections(1, kind, listeners));
    yaml.tree(new TreeMap<>(draft.settings));
    return yaml.toString();
  }

  private static Map<String, String> keys(Listener listener) {
    Map<String, String> keys = new LinkedHashMap<>();
    if (listener.unixPath.isEmpty()) {
      keys.put("host", YamlWriter.text(listener.host));
      keys.put("port", Integer.toString(listener.port));
      keys.putAll(listener.keys);
      return keys;
    }
    keys.put("path", YamlWriter.text(listener.unixPath));
    String max = listener.keys.get("maxConnections");
    if (max != null) {
      keys.put("maxConnections", max);
    }
    return keys;
  }
}
