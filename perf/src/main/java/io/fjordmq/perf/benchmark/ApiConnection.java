package io.fjordmq.perf.benchmark;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A keep-alive connection to the REST API. It takes less CPU time than the HTTP client of the JDK,
 * which matters because the load tool and the broker share the host. Connects on demand. Must be
 * used by one thread.
 */
final class ApiConnection implements AutoCloseable {
  static final String BASE = "/api/v5";
  private static final int TIMEOUT_MILLIS = 30_000;
  private static final int BUFFER_BYTES = 64 << 10;
  private static final int MAX_LINE_BYTES = 8 << 10;
  private static final String VERSION = "HTTP/1.1 ";
  private static final int STATUS_DIGITS = 3;
  private static final int OK = 200;
  private static final int EXCERPT_LENGTH = 200;
  private static final JsonMapper MAPPER = new JsonMapper();

  /** A response of the API. */
  record Reply(int status, byte[] body) {
    boolean isOk() {
      return status == OK;
    }

    /**
     * Returns the body.
     *
     * @throws IOException if it is not JSON
     */
    JsonNode json() throws IOException {
      try {
        return MAPPER.readTree(body);
      } catch (JacksonException e) {
        throw new IOException("the body of a response is not JSON: " + excerpt(), e);
      }
    }

    /** Returns the status and the beginning of the body, for error messages. */
    String excerpt() {
      String text = new String(body, StandardCharsets.UTF_8);
      return status + " " + text.substring(0, Math.min(EXCERPT_LENGTH, text.length()));
    }
  }

  private record Link(Socket socket, InputStream in) {}

  private final ApiEndpoint endpoint;
  private @Nullable Link link;

  ApiConnection(ApiEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Sends a GET request and waits for the response.
   *
   * @param path path below {@code /api/v5}, with the query, encoded
   * @throws IOException if there is no complete response within 30 s; the next request uses a new
   *     connection
   */
  Reply get(String path) throws IOException {
    return getPage(BASE + path);
  }

  /** Like {@link #get}, but also for pages outside the API. */
  Reply getPage(String target) throws IOException {
    String request =
        "GET %s HTTP/1.1\r\nHost: %s:%d\r\nAuthorization: Bearer %s\r\n\r\n"
            .formatted(target, endpoint.host(), endpoint.port(), endpoint.token());
    try {
      Link open = open();
      open.socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return read(open.in);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /**
   * Like {@link #get}, but requires the status 200.
   *
   * @return the body
   */
  JsonNode require(String path) throws IOException {
    Reply reply = get(path);
    if (!reply.isOk()) {
      throw new IOException("GET %s: expected 200, not %s".formatted(path, reply.excerpt()));
    }
    return reply.json();
  }

  private Link open() throws IOException {
    Link open = link;
    if (open == null) {
      Socket socket = new Socket();
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), TIMEOUT_MILLIS);
      open = new Link(socket, new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
      link = open;
    }
    return open;
  }

  private Reply read(InputStream in) throws IOException {
    final int status = status(line(in));
    int length = -1;
    boolean closes = false;
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      String name = line.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT);
      String value = line.substring(colon + 1).strip();
      if (name.equals("content-length")) {
        length = Integer.parseInt(value);
      } else if (name.equals("connection")) {
        closes = value.equalsIgnoreCase("close");
      }
    }
    if (length < 0) {
      throw new IOException("a response has no Content-Length, which this tool requires");
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw closedEarly();
    }
    if (closes) {
      close();
    }
    return new Reply(status, body);
  }

  private static int status(String line) throws IOException {
    int end = VERSION.length() + STATUS_DIGITS;
    if (!line.startsWith(VERSION) || line.length() < end) {
      throw new IOException("expected an HTTP status line, not '" + line + "'");
    }
    return Integer.parseInt(line.substring(VERSION.length(), end));
  }

  /** Reads a line and returns it without its end. */
  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw closedEarly();
      }
      if (line.length() == MAX_LINE_BYTES) {
        throw new IOException("a header line of a response exceeds " + MAX_LINE_BYTES + " bytes");
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }

  private static IOException closedEarly() {
    return new EOFException("the node closed the connection before the end of the response");
  }

  @Override
  public void close() throws IOException {
    Link open = link;
    link = null;
    if (open != null) {
      open.socket.close();
    }
  }
}
