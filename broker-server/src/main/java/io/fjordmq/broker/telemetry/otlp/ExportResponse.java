package io.fjordmq.broker.telemetry.otlp;

import io.grpc.stub.StreamObserver;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.util.function.ToLongFunction;

/**
 * Receives the response to an export. Called on the thread of the connection; does not block.
 *
 * @param <R> the response
 */
final class ExportResponse<R> implements StreamObserver<R> {
  private final String what;
  private final ToLongFunction<R> rejected;
  private final ExportFailures failures;
  private final CompletableResultCode result = new CompletableResultCode();

  /**
   * @param what the kind of data, such as {@code spans}
   * @param rejected returns the number of elements that the collector did not accept
   */
  ExportResponse(String what, ToLongFunction<R> rejected, ExportFailures failures) {
    this.what = what;
    this.rejected = rejected;
    this.failures = failures;
  }

  CompletableResultCode result() {
    return result;
  }

  @Override
  public void onNext(R response) {
    long lost = rejected.applyAsLong(response);
    if (lost > 0) {
      failures.reportRejected(what, lost);
    }
  }

  @Override
  public void onError(Throwable cause) {
    failures.report(what, cause);
    result.fail();
  }

  @Override
  public void onCompleted() {
    result.succeed();
  }
}
