package io.fjordmq.s3;

import io.fjordmq.broker.backup.BackupException;
import io.fjordmq.broker.backup.ObjectLocation;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;

/** Messages about failed requests: what was attempted, what was found, and what to do. */
final class S3Failure {
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;

  private S3Failure() {}

  /**
   * @param what an infinitive and its object
   * @param service endpoint, or AWS
   */
  static BackupException describe(
      String what, String service, ObjectLocation location, SdkException failure) {
    String start = "cannot %s at %s: ".formatted(what, service);
    return new BackupException(start + reason(location, failure), failure);
  }

  private static String reason(ObjectLocation location, SdkException failure) {
    if (!(failure instanceof AwsServiceException response)) {
      if (isAboutCredentials(failure)) { // the SDK's message lists all its sources
        return "found no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or"
            + " a role for the process that accesses the bucket";
      }
      String found =
          failure instanceof ApiCallTimeoutException
              ? "no response within %d s".formatted(S3Storage.PREPARE_TIMEOUT.toSeconds())
              : firstLine(failure.getMessage());
      return found + "; check the endpoint, the network and the service";
    }
    int status = response.statusCode();
    String code = code(response);
    if (code.equals("NoSuchBucket")) {
      return "the bucket %s does not exist; create it, or correct the URL"
          .formatted(location.bucket());
    }
    String found = "HTTP %d %s".formatted(status, code).strip();
    return switch (status) {
      case UNAUTHORIZED, FORBIDDEN ->
          found
              + "; check the credentials, and that they may list, read, write and delete objects of"
              + " the bucket "
              + location.bucket();
      case NOT_FOUND -> found + "; check the bucket, the prefix and the endpoint";
      default -> found + ": " + firstLine(response.getMessage()) + "; check the service";
    };
  }

  private static String code(AwsServiceException response) {
    String code =
        response.awsErrorDetails() == null ? null : response.awsErrorDetails().errorCode();
    return code == null ? "" : code;
  }

  /** The SDK has no type for this failure. */
  private static boolean isAboutCredentials(SdkException failure) {
    return String.valueOf(failure.getMessage()).contains("Unable to load credentials");
  }

  private static String firstLine(@Nullable String message) {
    return String.valueOf(message).lines().findFirst().orElse("");
  }
}
