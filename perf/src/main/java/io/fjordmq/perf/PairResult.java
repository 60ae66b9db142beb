package io.fjordmq.perf;

import org.HdrHistogram.Histogram;

/**
 * What was seen in the counted time of a {@link PairWork}.
 *
 * @param seconds counted
 * @param sent publishes
 * @param received deliveries
 * @param missing never delivered, of all that were sent from the very start
 * @param duplicated delivered again
 * @param outOfOrder delivered after a later one of the same publisher
 * @param cpuMicrosPerMessage the broker's CPU time / (sent + received)
 * @param residentKilobytes the broker's memory at the end
 * @param writtenBytesPerMessage what the broker wrote to disk / sent
 * @param delivery from the intended time of sending to delivery, microseconds
 * @param acknowledgement from the intended time of sending to PUBACK, microseconds; empty at QoS 0
 */
record PairResult(
    int seconds,
    long sent,
    long received,
    long missing,
    long duplicated,
    long outOfOrder,
    double cpuMicrosPerMessage,
    long residentKilobytes,
    double writtenBytesPerMessage,
    Histogram delivery,
    Histogram acknowledgement) {}
