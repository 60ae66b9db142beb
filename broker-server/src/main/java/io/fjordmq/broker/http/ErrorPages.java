package io.fjordmq.broker.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Generates the responses to requests that Jetty itself rejects: one line of plain text, or JSON
 * for paths of the API and for URLs that cannot be read, because most of those are meant for the
 * API.
 */
final class ErrorPages extends ErrorHandler {
  private static final String TEXT = "text/plain; charset=utf-8";

  /** The path that Jetty reports instead of one that it cannot decode. */
  private static final String UNREADABLE_PATH = "/badMessage";

  private final Api api;

  ErrorPages(Api api) {
    this.api = api;
  }

  /** Jetty would otherwise send no body for most methods. */
  @Override
  public boolean errorPageForMethod(String method) {
    return true;
  }

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      @Nullable String message,
      @Nullable Throwable cause,
      Callback callback) {
    String path = String.valueOf(request.getHttpURI().getPath());
    if (path.equals(UNREADABLE_PATH) || api.serves(path)) {
      HttpReply error = apiError(code, message);
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, error.contentType());
      response.write(true, ByteBuffer.wrap(error.body()), callback);
    } else {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, TEXT);
      response.write(true, text(code, message), callback);
    }
  }

  private static HttpReply apiError(int code, @Nullable String message) {
    if (code == HttpStatus.PAYLOAD_TOO_LARGE_413) {
      return HttpReply.apiError(
          code, "PAYLOAD_TOO_LARGE", "the body is larger than httpConfig.maxBodyBytes");
    }
    String status = HttpStatus.getMessage(code);
    String reason = message == null ? status : message;
    if (code == HttpStatus.BAD_REQUEST_400 && reason.equals(status)) {
      reason = "the request is malformed; check the encoding of its URL and headers";
    }
    return HttpReply.apiError(
        code,
        code < HttpStatus.INTERNAL_SERVER_ERROR_500 ? "BAD_REQUEST" : "INTERNAL_ERROR",
        reason.replaceAll("[^ A-Za-z0-9.,:;()/_-]", "?"));
  }

  @Override
  public ByteBuffer badMessageError(int status, String reason, HttpFields.Mutable fields) {
    fields.put(HttpHeader.CONTENT_TYPE, TEXT);
    return text(status, reason);
  }

  private static ByteBuffer text(int code, @Nullable String message) {
    String line = message == null || message.isEmpty() ? HttpStatus.getMessage(code) : message;
    return ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
