package io.fjordmq.broker.system;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A socket that sends any bytes, including invalid packets. */
final class RawClient implements AutoCloseable {
  /** What {@link #next} says when the broker has ended the connection. */
  static final String CLOSED = "closed";

  private static final int WAIT_MILLIS = 30_000;
  private static final HexFormat HEX = HexFormat.of();

  private final Socket socket;
  private final DataInputStream in;

  RawClient(SharedBroker.Port port) {
    try {
      socket = new Socket(InetAddress.getLoopbackAddress(), port.number());
      socket.setSoTimeout(WAIT_MILLIS);
      socket.setTcpNoDelay(true);
      in = new DataInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Connected, with its CONNACK read. */
  static RawClient openConnected(
      SharedBroker.Port port, int level, String clientId, int keepAlive) {
    RawClient client = new RawClient(port).send(connectPacket(level, clientId, keepAlive));
    String answer = client.next();
    if (!answer.startsWith("20") || !answer.startsWith("0000", 4)) {
      throw new AssertionError("CONNECT was answered " + answer);
    }
    return client;
  }

  /** A CONNECT of MQTT 3.1.1 (4) or 5.0 (5) with a clean session. */
  static byte[] connectPacket(int level, String clientId, int keepAlive) {
    byte[] id = clientId.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream packet = new ByteArrayOutputStream();
    packet.write(0x10);
    packet.write(12 + (level == 5 ? 1 : 0) + id.length);
    packet.writeBytes(HEX.parseHex("00044d515454"));
    packet.write(level);
    packet.write(0x02);
    packet.write(keepAlive >> 8);
    packet.write(keepAlive);
    if (level == 5) {
      packet.write(0);
    }
    packet.write(0);
    packet.write(id.length);
    packet.writeBytes(id);
    return packet.toByteArray();
  }

  /** Hexadecimal digits; blanks are for the reader. */
  RawClient send(String hex) {
    return send(HEX.parseHex(hex.replace(" ", "")));
  }

  /** Sends bytes; {@link #next} reports whether the broker has closed the connection. */
  RawClient send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (SocketException e) {
      // Closed by the broker, as some tests expect.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** The next packet in hexadecimal digits, or {@link #CLOSED}; fails if neither comes. */
  String next() {
    try {
      ByteArrayOutputStream packet = new ByteArrayOutputStream();
      int first = in.read();
      if (first < 0) {
        return CLOSED;
      }
      packet.write(first);
      int length = 0;
      int shift = 0;
      int digit;
      do {
        digit = in.readUnsignedByte();
        packet.write(digit);
        length |= (digit & 0x7f) << shift;
        shift += 7;
      } while (digit >= 0x80);
      packet.writeBytes(in.readNBytes(length));
      return HEX.formatHex(packet.toByteArray());
    } catch (EOFException | SocketException e) {
      return CLOSED;
    } catch (IOException e) {
      throw new UncheckedIOException("no answer", e);
    }
  }

  /** Reads packets until the connection is closed; returns {@link #CLOSED}. */
  String awaitClosed() {
    String packet = next();
    while (!packet.equals(CLOSED)) {
      packet = next();
    }
    return packet;
  }

  /** Ends the connection without a DISCONNECT. */
  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
