/**
 * Types that all modules share: topics, topic filters, messages, wills and subscription options.
 *
 * <p>Start at {@link io.fjordmq.api.Message}. This package has no dependencies and knows nothing
 * about Netty, storage or the cluster; plugins compile against this module only. The types are
 * immutable values that any thread may use, except {@link io.fjordmq.api.ByteReader} and {@link
 * io.fjordmq.api.ByteWriter}.
 */
@NullMarked
package io.fjordmq.api;

import org.jspecify.annotations.NullMarked;
