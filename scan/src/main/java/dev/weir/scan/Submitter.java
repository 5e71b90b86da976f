package dev.weir.scan;

/**
 * Who submitted a mail to be learned or forgotten, for audit trails. Every text may be empty.
 *
 * @param client address of the client
 * @param credential what allowed the request
 * @param user the user name that the request carries
 * @param messageId the Message-ID of the mail, without angle brackets
 */
public record Submitter(String client, String credential, String user, String messageId) {}
