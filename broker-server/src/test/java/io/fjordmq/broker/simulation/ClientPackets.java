package io.fjordmq.broker.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes a client's packets without sharing code with the broker. */
final class ClientPackets {
  static final int CONNACK = 2;
  static final int PUBLISH = 3;
  static final int PUBACK = 4;
  static final int PUBREC = 5;
  static final int PUBREL = 6;
  static final int PUBCOMP = 7;
  static final int SUBACK = 9;
  static final int UNSUBACK = 11;
  static final int DISCONNECT = 14;

  private static final int DISCONNECT_WITH_WILL = 0x04;
  private static final int SESSION_EXPIRY = 0x11;
  private static final int RECEIVE_MAXIMUM = 0x21;
  private static final int WILL_DELAY = 0x18;
  private static final int WILL_MESSAGE = 0x04;
  private static final int CLEAN = 0x02;

  private ClientPackets() {}

  /** A will as in the client's CONNECT. */
  record WillText(String topic, String payload, int qos, int delaySeconds) {}

  /**
   * A received PUBLISH.
   *
   * @param identifier 0 with QoS 0
   */
  record Received(
      int qos, boolean dup, boolean retain, int identifier, String topic, String payload) {}

  static byte[] connect(
      int level,
      String clientId,
      boolean clean,
      int keepAliveSeconds,
      long expirySeconds,
      int receiveMaximum,
      @Nullable WillText will) {
    int willFlags = will == null ? 0 : WILL_MESSAGE | will.qos << 3;
    Body body = new Body().text("MQTT").one(level).one((clean ? CLEAN : 0) | willFlags);
    body.two(keepAliveSeconds);
    if (level == 5) {
      body.properties(
          to ->
              to.one(SESSION_EXPIRY).four(expirySeconds).one(RECEIVE_MAXIMUM).two(receiveMaximum));
    }
    body.text(clientId);
    if (will != null) {
      if (level == 5) {
        body.properties(to -> to.one(WILL_DELAY).four(will.delaySeconds));
      }
      body.text(will.topic).text(will.payload);
    }
    return body.packet(0x10);
  }

  static byte[] publish(int level, Publication publication, int identifier, boolean dup) {
    int first =
        PUBLISH << 4 | (dup ? 8 : 0) | publication.qos() << 1 | (publication.retain() ? 1 : 0);
    Body body = new Body().text(publication.topic());
    if (publication.qos() > 0) {
      body.two(identifier);
    }
    return body.noProperties(level).bytes(publication.payload()).packet(first);
  }

  /** PUBACK, PUBREC, PUBREL or PUBCOMP, without error. */
  static byte[] reply(int type, int identifier) {
    return new Body().two(identifier).packet(type << 4 | (type == PUBREL ? 2 : 0));
  }

  static byte[] subscribe(int level, int identifier, String filter, int qos) {
    return new Body().two(identifier).noProperties(level).text(filter).one(qos).packet(0x82);
  }

  static byte[] unsubscribe(int level, int identifier, String filter) {
    return new Body().two(identifier).noProperties(level).text(filter).packet(0xA2);
  }

  static byte[] ping() {
    return new Body().packet(0xC0);
  }

  /** The client disconnects; MQTT 5 may end its session or request its will. */
  static byte[] disconnect(int level, boolean endSession, boolean publishWill) {
    Body body = new Body();
    if (level == 5 && (endSession || publishWill)) {
      body.one(publishWill ? DISCONNECT_WITH_WILL : 0);
      body.properties(
          to -> {
            if (endSession) {
              to.one(SESSION_EXPIRY).four(0);
            }
          });
    }
    return body.packet(DISCONNECT << 4);
  }

  static Received received(int level, Packet packet) {
    ByteBuffer body = packet.body();
    byte[] topic = new byte[body.getShort()];
    body.get(topic);
    int qos = packet.first() >> 1 & 3;
    int identifier = qos == 0 ? 0 : body.getShort() & 0xFFFF;
    if (level == 5) {
      int properties = body.get();
      body.position(body.position() + properties);
    }
    byte[] payload = new byte[body.remaining()];
    body.get(payload);
    return new Received(
        qos,
        (packet.first() & 8) != 0,
        (packet.first() & 1) != 0,
        identifier,
        new String(topic, UTF_8),
        new String(payload, UTF_8));
  }

  /** A whole packet; its body is read from the beginning. */
  record Packet(int first, ByteBuffer body) {
    int type() {
      return first >> 4 & 0xF;
    }
  }

  /** Splits received bytes into packets. */
  static final class Reader {
    private ByteBuffer waiting = ByteBuffer.allocate(0);

    void add(byte[] bytes) {
      ByteBuffer all = ByteBuffer.allocate(waiting.remaining() + bytes.length);
      waiting = all.put(waiting).put(bytes).flip();
    }

    @Nullable Packet next() {
      ByteBuffer look = waiting.duplicate();
      if (look.remaining() < 2) {
        return null;
      }
      int first = look.get() & 0xFF;
      int length = 0;
      for (int shift = 0; ; shift += 7) {
        if (!look.hasRemaining()) {
          return null;
        }
        byte digit = look.get();
        length |= (digit & 0x7F) << shift;
        if (digit >= 0) {
          break;
        }
      }
      if (look.remaining() < length) {
        return null;
      }
      ByteBuffer body = look.slice(look.position(), length);
      waiting.position(look.position() + length);
      return new Packet(first, body);
    }
  }

  private static final class Body {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Body one(int value) {
      out.write(value);
      return this;
    }

    Body two(int value) {
      return one(value >> 8).one(value);
    }

    Body four(long value) {
      return two((int) (value >> 16)).two((int) value);
    }

    Body bytes(String text) {
      out.writeBytes(text.getBytes(UTF_8));
      return this;
    }

    Body text(String text) {
      return two(text.getBytes(UTF_8).length).bytes(text);
    }

    Body noProperties(int level) {
      return level == 5 ? one(0) : this;
    }

    Body properties(Consumer<Body> content) {
      Body inside = new Body();
      content.accept(inside);
      one(inside.out.size());
      out.writeBytes(inside.out.toByteArray());
      return this;
    }

    byte[] packet(int first) {
      Body whole = new Body().one(first);
      int rest = out.size();
      while (rest > 127) {
        whole.one(rest & 127 | 128);
        rest >>= 7;
      }
      whole.one(rest);
      whole.out.writeBytes(out.toByteArray());
      return whole.out.toByteArray();
    }
  }
}
