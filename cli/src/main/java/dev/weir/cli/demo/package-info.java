/**
 * {@code weir demo} and its samples: real mails of campaigns, copies with the changes that spammers make, and unrelated
 * mails. Look here when the demo fails.
 */
@NullMarked
package dev.weir.cli.demo;

import org.jspecify.annotations.NullMarked;
