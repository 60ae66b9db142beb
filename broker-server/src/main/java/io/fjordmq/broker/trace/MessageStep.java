package io.fjordmq.broker.trace;

import io.fjordmq.api.Message;

/** A step of a message on its way through a node, as shown by topic traces. */
public sealed interface MessageStep {
  /** A client has published the message. */
  MessageStep RECEIVED = new Received();

  /** The message waits until it can be sent to a client. */
  MessageStep QUEUED = new Queued();

  /** The kind of line. */
  String kind();

  /** The text of the line, which begins with a space. */
  String text(Message message, PayloadEncoding encoding, int maxPayloadBytes);

  /** A client has published the message. */
  record Received() implements MessageStep {
    @Override
    public String kind() {
      return "received";
    }

    @Override
    public String text(Message message, PayloadEncoding encoding, int maxPayloadBytes) {
      return published(message, message.qos().level(), message.retain(), encoding, maxPayloadBytes);
    }
  }

  /**
   * The message is sent to a client.
   *
   * @param packetIdentifier 0 with QoS 0
   * @param duplicate whether it may have been sent before
   */
  record Sent(int qos, boolean retain, int packetIdentifier, boolean duplicate)
      implements MessageStep {
    @Override
    public String kind() {
      return "sent";
    }

    @Override
    public String text(Message message, PayloadEncoding encoding, int maxPayloadBytes) {
      return published(message, qos, retain, encoding, maxPayloadBytes)
          + (packetIdentifier == 0 ? "" : " packet_id=" + packetIdentifier)
          + (duplicate ? " dup=1" : "");
    }
  }

  /** The message waits until it can be sent to a client. */
  record Queued() implements MessageStep {
    @Override
    public String kind() {
      return "event";
    }

    @Override
    public String text(Message message, PayloadEncoding encoding, int maxPayloadBytes) {
      StringBuilder text = new StringBuilder();
      new TraceText(text).word("queued").field("topic", message.topic().name());
      return text.toString();
    }
  }

  /** The receivers of the message are known. */
  record Routed(Receivers receivers) implements MessageStep {
    @Override
    public String kind() {
      return "event";
    }

    @Override
    public String text(Message message, PayloadEncoding encoding, int maxPayloadBytes) {
      StringBuilder text = new StringBuilder();
      TraceText out = new TraceText(text).word("routed").field("topic", message.topic().name());
      receivers.write(out);
      return text.toString();
    }
  }

  private static String published(
      Message message, int qos, boolean retain, PayloadEncoding encoding, int maxPayloadBytes) {
    StringBuilder text = new StringBuilder();
    TraceText out =
        new TraceText(text).word("PUBLISH").field("qos", qos).field("retain", retain ? 1 : 0);
    MessageText.write(out, message, encoding, maxPayloadBytes);
    return text.toString();
  }
}
