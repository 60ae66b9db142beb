package io.fjordmq.broker.records;

import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.function.Function;

/**
 * A type of record in the metadata.
 *
 * @param <T> the value of a record
 * @param prefix the beginning of the keys of these records
 * @param subject one record, as error messages call it; for example, "this ban"
 * @param decoder decodes a value; throws {@link MalformedBytesException} if the bytes have another
 *     format or were written by a newer version
 */
public record RecordType<T>(String prefix, String subject, Function<byte[], T> decoder) {
  /**
   * Returns the value of a record.
   *
   * @throws RecordException UNAVAILABLE if this node cannot read it
   */
  public T decode(MetadataRecord record) {
    try {
      return decoder.apply(record.value());
    } catch (MalformedBytesException e) {
      String advice =
          e instanceof NewerFormatException
              ? "; send the request to a node with a newer version"
              : "";
      throw new RecordException(
          Kind.UNAVAILABLE, "this node cannot read " + subject + advice + ": " + e.getMessage());
    }
  }
}
