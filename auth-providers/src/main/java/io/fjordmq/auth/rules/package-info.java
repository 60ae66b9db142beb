/** Access rules as JSON, as tokens and HTTP services return them. */
@NullMarked
package io.fjordmq.auth.rules;

import org.jspecify.annotations.NullMarked;
