package io.fjordmq.s3;

import io.fjordmq.broker.backup.BackupException;
import io.fjordmq.broker.backup.BackupStorage;
import io.fjordmq.broker.backup.ObjectLocation;
import io.fjordmq.broker.backup.ObjectStorage;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.SystemSettingsRegionProvider;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/**
 * Opens backups in S3. Credentials come from the SDK's default chain: system properties,
 * environment, web identity token, profile, container, instance. Thread-safe.
 */
public final class S3 implements ObjectStorage {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(60);

  /** With the SDK's delays, they bridge an outage of about half a minute. */
  private static final int ATTEMPTS = 10;

  /** Of a compatible service that has no regions; signatures need one. */
  private static final Region DEFAULT_REGION = Region.US_EAST_1;

  @Override
  public BackupStorage open(ObjectLocation location) throws BackupException {
    // The SDK looks for the HTTP client of STS in the context class loader.
    Thread.currentThread().setContextClassLoader(S3.class.getClassLoader());
    URI endpoint = endpoint(location);
    DefaultCredentialsProvider credentials = DefaultCredentialsProvider.builder().build();
    try {
      S3ClientBuilder builder =
          S3Client.builder()
              .credentialsProvider(credentials)
              .httpClientBuilder(
                  UrlConnectionHttpClient.builder()
                      .connectionTimeout(CONNECT_TIMEOUT)
                      .socketTimeout(SOCKET_TIMEOUT))
              .overrideConfiguration(retries())
              // Not all compatible services know the SDK's own checksums. Uploads have an MD5
              // checksum, and files a checksum in the manifest.
              .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
              .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
      Region region = region(location, endpoint);
      if (region != null) {
        builder.region(region);
      }
      if (endpoint != null) {
        builder.endpointOverride(endpoint).forcePathStyle(true);
      }
      return new S3Storage(builder.build(), credentials, location, endpoint);
    } catch (SdkException e) {
      credentials.close();
      throw new BackupException(
          "cannot open %s: %s; set --s3-region, AWS_REGION or a profile, and --s3-endpoint for services other than AWS"
              .formatted(location.url(), e.getMessage()),
          e);
    }
  }

  /** Respects AWS_MAX_ATTEMPTS. */
  private static ClientOverrideConfiguration retries() {
    if (SdkSystemSetting.AWS_MAX_ATTEMPTS.getStringValue().isPresent()) {
      return ClientOverrideConfiguration.builder().build();
    }
    return ClientOverrideConfiguration.builder()
        .retryStrategy(StandardRetryStrategy.builder().maxAttempts(ATTEMPTS).build())
        .build();
  }

  /** The endpoint of the environment is read here because only AWS needs no path-style URLs. */
  private static @Nullable URI endpoint(ObjectLocation location) throws BackupException {
    String given = location.endpoint();
    Optional<String> text =
        given != null
            ? Optional.of(given)
            : Stream.of("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
                .map(System::getenv)
                .filter(value -> value != null && !value.isBlank())
                .findFirst();
    if (text.isEmpty()) {
      return null;
    }
    try {
      URI endpoint = new URI(text.get());
      String scheme = endpoint.getScheme();
      if (endpoint.getHost() != null && ("http".equals(scheme) || "https".equals(scheme))) {
        return endpoint;
      }
      throw invalid(text.get(), null);
    } catch (URISyntaxException e) {
      throw invalid(text.get(), e);
    }
  }

  private static BackupException invalid(String endpoint, @Nullable URISyntaxException cause) {
    String message =
        "the S3 endpoint must be a URL like https://s3.example.com:9000, not " + endpoint;
    return cause == null ? new BackupException(message) : new BackupException(message, cause);
  }

  /** Returns null to let the SDK find the region, which may ask the metadata service of AWS. */
  private static @Nullable Region region(ObjectLocation location, @Nullable URI endpoint) {
    String given = location.region();
    if (given != null) {
      return Region.of(given);
    }
    if (endpoint == null) {
      return null;
    }
    try {
      return new AwsRegionProviderChain(
              new SystemSettingsRegionProvider(), new AwsProfileRegionProvider())
          .getRegion();
    } catch (SdkException e) {
      return DEFAULT_REGION;
    }
  }
}
