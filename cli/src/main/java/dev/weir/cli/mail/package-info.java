/**
 * The commands that work on mails: check, learn, forget and hash. Look here when a mail is not found or its report is
 * wrong.
 */
@NullMarked
package dev.weir.cli.mail;

import org.jspecify.annotations.NullMarked;
