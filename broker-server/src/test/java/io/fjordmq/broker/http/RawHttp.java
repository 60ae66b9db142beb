package io.fjordmq.broker.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;

/** A client that sends requests no HTTP library would send. */
final class RawHttp implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 60_000;

  private final Socket socket;

  RawHttp(int port) {
    this(open(port));
  }

  RawHttp(Socket socket) {
    this.socket = socket;
  }

  private static Socket open(int port) {
    try {
      Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends these lines followed by an empty line. */
  RawHttp request(String... lines) {
    return send(String.join("\r\n", lines) + "\r\n\r\n");
  }

  RawHttp send(String bytes) {
    try {
      socket.getOutputStream().write(bytes.getBytes(US_ASCII));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Socket socket() {
    return socket;
  }

  /** Returns the lines received until the server closes the connection. */
  List<String> readResponse() {
    try {
      return new String(socket.getInputStream().readAllBytes(), US_ASCII).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for a byte; true if the server closes the connection instead. */
  boolean isClosed() {
    try {
      return socket.getInputStream().read() < 0;
    } catch (IOException e) {
      return true; // reset
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
