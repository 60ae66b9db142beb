package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The connection reads responses that the API sends, and rejects others. */
class ApiConnectionTest {
  @Test
  void shouldSendSeveralRequestsOnOneConnection() throws IOException {
    try (ApiStub api = new ApiStub(200, path -> "{\"data\":[{\"clientid\":\"a\"}]}");
        ApiConnection connection = new ApiConnection(api.endpoint())) {
      assertThat(connection.require("/clients?limit=1").path("data").size()).isEqualTo(1);
      assertThat(connection.get("/stats").isOk()).isTrue();
      assertThat(api.requests()).containsExactly("/api/v5/clients?limit=1", "/api/v5/stats");
      assertThat(api.connections()).isEqualTo(1);
    }
  }

  @Test
  void shouldReportOtherStatuses() throws IOException {
    try (ApiStub api = new ApiStub(404, path -> "{\"code\":\"CLIENTID_NOT_FOUND\"}");
        ApiConnection connection = new ApiConnection(api.endpoint())) {
      assertThat(connection.get("/clients/x").status()).isEqualTo(404);
      assertThatThrownBy(() -> connection.require("/clients/x"))
          .hasMessage("GET /clients/x: expected 200, not 404 {\"code\":\"CLIENTID_NOT_FOUND\"}");
    }
  }

  @Test
  void shouldConnectAgainAfterAnIncompleteResponse() throws Exception {
    List<String> responses =
        List.of(
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "SSH-2.0-OpenSSH\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      Thread answering = new Thread(() -> answer(server, responses), "answering");
      answering.start();
      ApiEndpoint endpoint =
          new ApiEndpoint(server.getInetAddress().getHostAddress(), server.getLocalPort(), "t");
      try (ApiConnection connection = new ApiConnection(endpoint)) {
        assertThatThrownBy(() -> connection.get("/stats")).hasMessageContaining("before the end");
        assertThatThrownBy(() -> connection.get("/stats")).hasMessageContaining("Content-Length");
        assertThatThrownBy(() -> connection.get("/stats")).hasMessageContaining("SSH-2.0-OpenSSH");
        assertThat(connection.get("/stats").body()).asString().isEqualTo("ok");
      }
      answering.join();
    }
  }

  /** Answers one request on each connection. */
  private static void answer(ServerSocket server, List<String> responses) {
    for (String response : responses) {
      try (Socket socket = server.accept()) {
        while (!line(socket).isEmpty()) {
          // skips the headers
        }
        socket.getOutputStream().write(response.getBytes(StandardCharsets.US_ASCII));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static String line(Socket socket) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = socket.getInputStream().read();
        next >= 0 && next != '\n';
        next = socket.getInputStream().read()) {
      line.append((char) next);
    }
    return line.toString().strip();
  }

  @Test
  void shouldReadTheEndpointFromTheControlDirectory(@TempDir Path directory) throws IOException {
    Path control = Files.createDirectories(directory.resolve("node1/data/control"));
    Path file = control.resolve("api.json");
    Files.writeString(file, "{\"url\":\"http://127.0.0.1:18083\",\"token\":\"Zm9v\"}\n");
    assertThat(ApiEndpoint.of(directory)).isEqualTo(new ApiEndpoint("127.0.0.1", 18_083, "Zm9v"));
    Files.writeString(file, "{\"url\":\"http://127.0.0.1:18083\"}\n");
    assertThatThrownBy(() -> ApiEndpoint.of(directory)).hasMessageContaining("expected an http");
    Files.writeString(file, "no JSON");
    assertThatThrownBy(() -> ApiEndpoint.of(directory)).hasMessageContaining(file.toString());
  }
}
