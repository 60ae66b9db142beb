package io.fjordmq.auth.examples;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** An MQTT 5 client that waits for the answer to each packet. Not thread-safe. */
public final class MqttProbe implements AutoCloseable {
  private static final int CONNECT = 0x10;
  private static final int CONNACK = 0x20;
  private static final int PUBLISH_QOS_1 = 0x32;
  private static final int PUBACK = 0x40;
  private static final int SUBSCRIBE = 0x82;
  private static final int SUBACK = 0x90;
  private static final int DISCONNECT = 0xe0;

  private static final int NO_MATCHING_SUBSCRIBERS = 0x10;
  private static final int NOT_AUTHORIZED = 0x87;
  private static final int TIMEOUT_MILLIS = 30_000;

  private final Socket socket;
  private final DataInputStream in;
  private final int loginCode;
  private int packetId;

  /**
   * Connects.
   *
   * @param socket a connection to the node, which the probe closes
   */
  MqttProbe(Socket socket, String clientId, @Nullable String userName, @Nullable String password)
      throws IOException {
    this.socket = socket;
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new DataInputStream(socket.getInputStream());
    int flags = 0x02 | (userName == null ? 0 : 0x80) | (password == null ? 0 : 0x40);
    Body body = new Body();
    body.text("MQTT").bytes(5, flags, 0, 60, 0).text(clientId);
    if (userName != null) {
      body.text(userName);
    }
    if (password != null) {
      body.text(password);
    }
    send(CONNECT, body);
    loginCode = receive(CONNACK)[1] & 0xff;
  }

  /** Returns the reason code of the CONNACK. */
  public int loginCode() {
    return loginCode;
  }

  /** Publishes with QoS 1, and returns whether the node permits it. */
  public boolean mayPublish(String topic) throws IOException {
    packetId++;
    send(PUBLISH_QOS_1, new Body().text(topic).bytes(0, packetId, 0, 'x'));
    byte[] answer = receive(PUBACK);
    return isAllowed(answer.length == 2 ? 0 : answer[2] & 0xff);
  }

  /** Subscribes with QoS 0, and returns whether the node permits it. */
  public boolean maySubscribe(String filter) throws IOException {
    packetId++;
    send(SUBSCRIBE, new Body().bytes(0, packetId, 0).text(filter).bytes(0));
    byte[] answer = receive(SUBACK);
    return isAllowed(answer[answer.length - 1] & 0xff);
  }

  private static boolean isAllowed(int code) {
    return switch (code) {
      case 0, NO_MATCHING_SUBSCRIBERS -> true;
      case NOT_AUTHORIZED -> false;
      default -> throw new AssertionError("reason code 0x" + Integer.toHexString(code));
    };
  }

  private void send(int type, Body body) throws IOException {
    byte[] content = body.out.toByteArray();
    ByteArrayOutputStream packet = new ByteArrayOutputStream();
    packet.write(type);
    int length = content.length;
    for (; length > 0x7f; length >>= 7) {
      packet.write((length & 0x7f) | 0x80);
    }
    packet.write(length);
    packet.writeBytes(content);
    socket.getOutputStream().write(packet.toByteArray());
  }

  /** Skips the messages that the client publishes to itself. */
  private byte[] receive(int type) throws IOException {
    while (true) {
      int received = in.readUnsignedByte();
      byte[] content = new byte[length()];
      in.readFully(content);
      if (received == type) {
        return content;
      }
      if (received == DISCONNECT) {
        throw new EOFException("DISCONNECT 0x" + Integer.toHexString(content[0] & 0xff));
      }
    }
  }

  private int length() throws IOException {
    int length = 0;
    int shift = 0;
    int digit;
    do {
      digit = in.readUnsignedByte();
      length |= (digit & 0x7f) << shift;
      shift += 7;
    } while (digit > 0x7f);
    return length;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private static final class Body {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Body bytes(int... values) {
      for (int value : values) {
        out.write(value);
      }
      return this;
    }

    Body text(String value) throws IOException {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      DataOutputStream data = new DataOutputStream(out);
      data.writeShort(bytes.length);
      data.write(bytes);
      return this;
    }
  }
}
