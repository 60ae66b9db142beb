package io.fjordmq.common;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.UserProperty;
import io.fjordmq.api.Will;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes messages and wills for storage and replication. Encoding is deterministic: a message has
 * the same bytes on every node. The format is self-delimiting, so other data may follow it.
 */
public final class MessageCodec {
  /*
   * Message:
   *
   *   1  version   1
   *   1  flags     bits 0-1 QoS, 2 RETAIN, 3 expires, 4 has properties, 5-7 zero
   *   v  acceptedAtMillis
   *   v  expiresAtMillis             if it expires
   *   s  topic
   *   s  publisher
   *   1  present   bit 0 Payload Format Indicator, 1 its value, 2 Content Type, 3 Response Topic,
   *                4 Correlation Data, 5 User Properties, 6-7 zero     if it has properties
   *   s  Content Type                if present
   *   s  Response Topic              if present
   *   b  Correlation Data            if present
   *   v  count, then s name, s value for each User Property, if present
   *   b  payload
   *
   * Will:
   *
   *   1  version   1
   *   v  delaySeconds
   *   v  messageExpirySeconds + 1    0 if it has none
   *   .. the message
   *
   * v = varint, b = varint length and bytes, s = b of UTF-8
   */
  private static final int VERSION = 1;

  private static final int QOS = 0b11;
  private static final int RETAIN = 1 << 2;
  private static final int EXPIRES = 1 << 3;
  private static final int HAS_PROPERTIES = 1 << 4;
  private static final int UNUSED_FLAGS = 0b1110_0000;

  private static final int FORMAT_PRESENT = 1;
  private static final int FORMAT_UTF8 = 1 << 1;
  private static final int CONTENT_TYPE = 1 << 2;
  private static final int RESPONSE_TOPIC = 1 << 3;
  private static final int CORRELATION_DATA = 1 << 4;
  private static final int USER_PROPERTIES = 1 << 5;
  private static final int UNUSED_PRESENT = 0b1100_0000;

  private MessageCodec() {}

  public static byte[] encode(Message message) {
    ByteWriter out = new ByteWriter(encodedBytes(message));
    write(message, out);
    return out.toByteArray();
  }

  public static void write(Message message, ByteWriter out) {
    MessageProperties properties = message.properties();
    boolean expires = message.expiresAtMillis() != Message.NEVER;
    out.writeByte(VERSION)
        .writeByte(
            message.qos().level()
                | (message.retain() ? RETAIN : 0)
                | (expires ? EXPIRES : 0)
                | (properties.isEmpty() ? 0 : HAS_PROPERTIES))
        .writeVarint(message.acceptedAtMillis());
    if (expires) {
      out.writeVarint(message.expiresAtMillis());
    }
    out.writeString(message.topic().name()).writeString(message.publisher());
    if (!properties.isEmpty()) {
      writeProperties(properties, out);
    }
    out.writeBlock(message.payload());
  }

  /**
   * Decodes a message that occupies the buffer from its position to its limit. The payload is
   * copied once.
   *
   * @throws MalformedBytesException if the bytes are not a valid message
   */
  public static Message decode(ByteBuffer bytes) {
    ByteReader in = new ByteReader(bytes);
    Message message = read(in);
    in.requireEnd();
    return message;
  }

  /**
   * Reads only the expiry time of an encoded message; {@link Message#NEVER} if it does not expire.
   *
   * @throws MalformedBytesException if the bytes are not a valid message
   */
  public static long expiresAtMillis(ByteBuffer bytes) {
    ByteReader in = new ByteReader(bytes);
    requireVersion(in.readByte(), "message");
    if ((in.readByte() & EXPIRES) == 0) {
      return Message.NEVER;
    }
    in.readVarint();
    return in.readVarint();
  }

  /**
   * Reads a message and leaves the bytes after it unread.
   *
   * @throws MalformedBytesException if the bytes are not a valid message
   */
  public static Message read(ByteReader in) {
    requireVersion(in.readByte(), "message");
    int flags = in.readByte();
    if ((flags & UNUSED_FLAGS) != 0 || (flags & QOS) == QOS) {
      throw new MalformedBytesException(
          "message has invalid flags 0x" + Integer.toHexString(flags));
    }
    long acceptedAt = in.readVarint();
    long expiresAt = (flags & EXPIRES) == 0 ? Message.NEVER : in.readVarint();
    Topic topic = readTopic(in);
    String publisher = in.readString();
    MessageProperties properties =
        (flags & HAS_PROPERTIES) == 0 ? MessageProperties.NONE : readProperties(in);
    return new Message(
        topic,
        in.readBlock(),
        Qos.of(flags & QOS),
        (flags & RETAIN) != 0,
        properties,
        publisher,
        acceptedAt,
        expiresAt);
  }

  public static byte[] encodeWill(Will will) {
    ByteWriter out = new ByteWriter(12 + encodedBytes(will.message()));
    writeWill(will, out);
    return out.toByteArray();
  }

  public static void writeWill(Will will, ByteWriter out) {
    out.writeByte(VERSION)
        .writeVarint(will.delaySeconds())
        .writeVarint(will.messageExpirySeconds() + 1);
    write(will.message(), out);
  }

  /**
   * Decodes a will that occupies the buffer from its position to its limit.
   *
   * @throws MalformedBytesException if the bytes are not a valid will
   */
  public static Will decodeWill(ByteBuffer bytes) {
    ByteReader in = new ByteReader(bytes);
    Will will = readWill(in);
    in.requireEnd();
    return will;
  }

  /**
   * Reads a will and leaves the bytes after it unread.
   *
   * @throws MalformedBytesException if the bytes are not a valid will
   */
  public static Will readWill(ByteReader in) {
    requireVersion(in.readByte(), "will");
    long delaySeconds = in.readVarint();
    long messageExpirySeconds = in.readVarint() - 1;
    return new Will(read(in), delaySeconds, messageExpirySeconds);
  }

  /** Returns the number of bytes that {@link #write} writes. */
  public static int encodedBytes(Message message) {
    boolean expires = message.expiresAtMillis() != Message.NEVER;
    return 2
        + ByteWriter.varintBytes(message.acceptedAtMillis())
        + (expires ? ByteWriter.varintBytes(message.expiresAtMillis()) : 0)
        + ByteWriter.stringBytes(message.topic().name())
        + ByteWriter.stringBytes(message.publisher())
        + (message.properties().isEmpty() ? 0 : propertyBytes(message.properties()))
        + ByteWriter.blockBytes(message.payload().length);
  }

  private static int propertyBytes(MessageProperties properties) {
    String contentType = properties.contentType();
    String responseTopic = properties.responseTopic();
    byte[] correlationData = properties.correlationData();
    List<UserProperty> userProperties = properties.userProperties();
    int bytes = 1;
    bytes += contentType == null ? 0 : ByteWriter.stringBytes(contentType);
    bytes += responseTopic == null ? 0 : ByteWriter.stringBytes(responseTopic);
    bytes += correlationData == null ? 0 : ByteWriter.blockBytes(correlationData.length);
    bytes += userProperties.isEmpty() ? 0 : ByteWriter.varintBytes(userProperties.size());
    for (UserProperty property : userProperties) {
      bytes += ByteWriter.stringBytes(property.name()) + ByteWriter.stringBytes(property.value());
    }
    return bytes;
  }

  private static void writeProperties(MessageProperties properties, ByteWriter out) {
    Boolean utf8 = properties.payloadIsUtf8();
    String contentType = properties.contentType();
    String responseTopic = properties.responseTopic();
    byte[] correlationData = properties.correlationData();
    List<UserProperty> userProperties = properties.userProperties();
    out.writeByte(
        (utf8 != null ? FORMAT_PRESENT : 0)
            | (utf8 != null && utf8 ? FORMAT_UTF8 : 0)
            | (contentType != null ? CONTENT_TYPE : 0)
            | (responseTopic != null ? RESPONSE_TOPIC : 0)
            | (correlationData != null ? CORRELATION_DATA : 0)
            | (userProperties.isEmpty() ? 0 : USER_PROPERTIES));
    if (contentType != null) {
      out.writeString(contentType);
    }
    if (responseTopic != null) {
      out.writeString(responseTopic);
    }
    if (correlationData != null) {
      out.writeBlock(correlationData);
    }
    if (!userProperties.isEmpty()) {
      out.writeVarint(userProperties.size());
      for (UserProperty property : userProperties) {
        out.writeString(property.name()).writeString(property.value());
      }
    }
  }

  @SuppressWarnings("NullAway") // it cannot tell from class files that an array may be null
  private static MessageProperties readProperties(ByteReader in) {
    int present = in.readByte();
    if ((present & UNUSED_PRESENT) != 0) {
      throw new MalformedBytesException(
          "message has unknown property bits 0x" + Integer.toHexString(present));
    }
    @Nullable Boolean utf8 =
        (present & FORMAT_PRESENT) == 0 ? null : (Boolean) ((present & FORMAT_UTF8) != 0);
    String contentType = (present & CONTENT_TYPE) == 0 ? null : in.readString();
    String responseTopic = (present & RESPONSE_TOPIC) == 0 ? null : in.readString();
    byte[] correlationData = (present & CORRELATION_DATA) == 0 ? null : in.readBlock();
    List<UserProperty> userProperties = List.of();
    if ((present & USER_PROPERTIES) != 0) {
      int count = in.readCount(2);
      userProperties = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        userProperties.add(new UserProperty(in.readString(), in.readString()));
      }
    }
    return new MessageProperties(utf8, contentType, responseTopic, correlationData, userProperties);
  }

  private static Topic readTopic(ByteReader in) {
    try {
      return new Topic(in.readString());
    } catch (IllegalArgumentException e) {
      throw new MalformedBytesException("message has an invalid topic", e);
    }
  }

  private static void requireVersion(int version, String what) {
    NewerFormatException.require(what, VERSION, version);
  }
}
