package io.fjordmq.broker.net;

/**
 * Settings for MQTT over WebSocket (MQTT 5.0 §6).
 *
 * @param path the path of the URL; requests for other paths are rejected with 404
 * @param maxFrameBytes maximum size of a frame from a client; an MQTT packet may span several
 *     frames
 * @param compression whether clients may negotiate compression (permessage-deflate), which costs
 *     memory for each client that uses it
 */
public record WebSocketSettings(String path, int maxFrameBytes, boolean compression) {
  public static final WebSocketSettings DEFAULTS = new WebSocketSettings("/mqtt", 1 << 20, false);

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public WebSocketSettings {
    if (!path.startsWith("/") || path.contains("?")) {
      throw new IllegalArgumentException(
          "path must begin with '/' and must not contain '?', not '" + path + "'");
    }
    if (maxFrameBytes < 1_024) {
      throw new IllegalArgumentException(
          "maxFrameBytes must be at least 1024, not " + maxFrameBytes);
    }
  }
}
