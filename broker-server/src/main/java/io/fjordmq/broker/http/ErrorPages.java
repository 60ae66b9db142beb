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
 * Generates the responses to requests that Jetty itself rejects: one line of plain text, as for all
 * other errors.
 */
final class ErrorPages extends ErrorHandler {
  private static final String TEXT = "text/plain; charset=utf-8";

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      @Nullable String message,
      @Nullable Throwable cause,
      Callback callback) {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, TEXT);
    response.write(true, text(code, message), callback);
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
