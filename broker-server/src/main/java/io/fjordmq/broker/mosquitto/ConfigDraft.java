package io.fjordmq.broker.mosquitto;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The configuration while it is converted. */
final class ConfigDraft {
  /** A listener of mosquitto. The first one stands for directives before any listener. */
  static final class Listener {
    final @Nullable ConfLine origin;
    int port = 1883;
    String host = "";
    String unixPath = "";
    boolean isWebSocket;
    boolean isNamed;
    boolean requiresCertificate;
    boolean allowsAnonymous;
    String authorities = "";

    /** The keys of the listener, by name. */
    final Map<String, String> keys = new LinkedHashMap<>();

    Listener(@Nullable ConfLine origin) {
      this.origin = origin;
    }

    boolean isTls() {
      return keys.containsKey("certFile");
    }

    /** The section of mqttServerConfig for such listeners. */
    String kind() {
      if (!unixPath.isEmpty()) {
        return "unixListener";
      }
      if (isWebSocket) {
        return isTls() ? "wssListener" : "wsListener";
      }
      return isTls() ? "tlsListener" : "tcpListener";
    }
  }

  private static final String ANONYMOUS = "securityConfig.allowAnonymous";

  final List<Listener> listeners = new ArrayList<>();

  /** Settings by dotted key, in the notation of the file. */
  final Map<String, String> settings = new LinkedHashMap<>();

  /** Notes about directives that could not be carried over, one line each. */
  final List<String> omissions;

  /** Notes about directives that behave differently, one line each. */
  final List<String> remarks = new ArrayList<>();

  /** Values of directives that can be different for each listener, with the line that set them. */
  private final Map<String, ConfLine> shared = new LinkedHashMap<>();

  private Listener current = new Listener(null);
  private boolean isInBridge;
  private boolean isPerListener;

  ConfigDraft(List<String> omissions) {
    this.omissions = omissions;
    listeners.add(current);
  }

  Listener listener() {
    return current;
  }

  void begin(Listener listener) {
    listeners.add(listener);
    current = listener;
    isInBridge = false;
  }

  /** From now on, each listener has its own security settings. */
  void setPerListener() {
    isPerListener = true;
  }

  /** Sets whether the current listener, or all of them, allow anonymous clients. */
  void allowAnonymous(boolean isAllowed) {
    current.allowsAnonymous = isAllowed;
    if (!isPerListener) {
      settings.put(ANONYMOUS, Boolean.toString(isAllowed));
    }
  }

  /**
   * Decides whether anonymous clients are allowed. FjordMQ has one value for all listeners, so they
   * are allowed only if every listener allows them.
   *
   * @param byDefault mosquitto's default
   */
  void completeAnonymous(boolean byDefault) {
    if (isPerListener) {
      boolean isAllowed = listeners.stream().allMatch(listener -> listener.allowsAnonymous);
      settings.put(ANONYMOUS, Boolean.toString(isAllowed));
      if (!isAllowed && listeners.stream().anyMatch(listener -> listener.allowsAnonymous)) {
        omissions.add(
            "allow_anonymous: some listeners do not allow anonymous clients, so FjordMQ allows none"
                + " on any listener");
      }
    } else {
      settings.putIfAbsent(ANONYMOUS, Boolean.toString(byDefault));
    }
  }

  boolean isInBridge() {
    return isInBridge;
  }

  void beginBridge() {
    isInBridge = true;
  }

  /** Records that a directive could not be carried over. */
  void omit(ConfLine line, String reason) {
    omissions.add(line.where() + ": " + line.text() + ": " + reason);
  }

  void remark(ConfLine line, String text) {
    remarks.add(line.where() + ": " + line.text() + ": " + text);
  }

  /**
   * Returns whether this is the first value of a directive that FjordMQ has only once for all
   * listeners; reports a value that differs from the first one.
   */
  boolean isFirst(ConfLine line) {
    ConfLine first = shared.putIfAbsent(line.name(), line);
    if (first == null) {
      return true;
    }
    if (!first.value().equals(line.value())) {
      omit(
          line,
          "FjordMQ has one value for all listeners and uses that of %s (%s)"
              .formatted(first.where(), first.value()));
    }
    return false;
  }
}
