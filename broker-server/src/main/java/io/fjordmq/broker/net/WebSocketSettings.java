package io.fjordmq.broker.net;

/**
 * MQTT over WebSocket (MQTT 5.0 §6).
 *
 * @param path of the URL; requests for other paths are rejected with 404
 * @param maxFrameBytes largest frame that a client may send; MQTT packets may span several
 * @param compression whether clients may negotiate compression (permessage-deflate), which costs
 *     memory for each client that does
 */
public record WebSocketSettings(String path, int maxFrameBytes, boolean compression) {
  public static final WebSocketSettings DEFAULTS = new WebSocketSettings("/mqtt", 1 << 20, false);

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with its name
   */
  public WebSocketSettings {
    if (!path.startsWith("/") || path.contains("?")) {
      throw new IllegalArgumentException(
          "path must begin with / and contain no ?, not '" + path + "'");
    }
    if (maxFrameBytes < 1_024) {
      throw new IllegalArgumentException(
          "maxFrameBytes must be at least 1024, not " + maxFrameBytes);
    }
  }
}
