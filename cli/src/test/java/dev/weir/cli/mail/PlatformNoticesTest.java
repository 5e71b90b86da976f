package dev.weir.cli.mail;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.cli.Run;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Genuine notices of platforms against phishing that is sent through the same platform, and so has its template, its
 * links and its signature. The texts are made up after public notices.
 */
final class PlatformNoticesTest {
    private static final String TRUSTED = "trusted_hosts = \"mx.example.org\";";

    /** The platforms, with the text of a genuine notice, of another one, and of phishing through it. */
    enum Platform {
        /** Anyone can send a request for money with a note of his own. */
        PAYMENT("paypal.com", "service", "%1$s sent you a money request", """
                <table width="100%%" cellpadding="0" cellspacing="0" border="0" class="ppsans"><tr><td
                align="center"> <table width="640" class="marginFix" dir="ltr"><tr><td class="mobMargin"
                style="padding: 0 10px"> <img
                src="https://www.paypalobjects.com/digitalassets/c/layout/pp-logo-in-circle.png"
                width="64" alt="PayPal"><p class="ppsans" style="font-size: 32px">%1$s sent you a money
                request</p><div id="note-from-sender" class="quote"><span>Note from %1$s:</span><br>"%2$s"</div>
                <table class="cta" align="left" border="0"><tr><td class="neptuneButton" bgcolor="#142C8E"><a
                href="https://www.paypal.com/payrequest/details?ctx=%3$s">Pay Now</a></td></tr></table><p
                class="details">Transaction details</p><p>Don't recognize this request? Before paying, make sure
                that you know the sender.</p> <p class="footer">Help and Contact | Security |
                Apps</p></td></tr></table></td></tr></table>
                <table class="legal" width="100%%" cellpadding="0"><tr><td class="divider" height="1"
                style="border-top: 1px solid #cbd2d6"></td></tr><tr><td class="ppsans" style="font-size: 13px;
                color: #687173; padding-top: 20px"><p>Some accounts are protected by an extra check when money is
                requested for the first time. Always compare the name, the amount and the reason with what you
                agreed, and report a request that you did not expect from the list of your activities. We never
                ask in a message for a password, a number of a card or a code that you received on your
                telephone.</p><ul class="links"><li><a href="https://www.paypal.com/help">Help and
                contact</a></li><li><a href="https://www.paypal.com/security">Fees and
                safety</a></li></ul><p>Please do not answer this message, because nobody reads answers to it. Sign
                in and choose Help at the top of any page instead. Copyright. All rights reserved. The service is
                offered by a limited partnership whose register and supervision are named on our page of legal
                agreements.</p></td></tr></table>"""),
        /** Anyone can share a document with a name of his own. */
        DOCUMENT("google.com", "drive-shares-dm-noreply", "Document shared with you: %2$s", """
                <div style="font-family: Roboto, Arial; max-width: 720px; margin: auto"><table role="presentation"
                width="100%%" cellspacing="0" cellpadding="0"><tr><td style="padding: 24px 16px"><h1
                style="font-weight: 400; text-align: center">%1$s shared a document</h1><table
                class="message"><tr><td><img alt="Unknown profile photo" width="32"
                src="https://ssl.gstatic.com/s2/profiles/images/silhouette64.png"></td><td>%1$s has invited you to
                <b>edit</b> the following document:</td></tr></table><a class="chip"
                href="https://docs.google.com/document/d/%3$s/edit?usp=sharing_eip_m"><span>%2$s</span></a><a
                class="button" style="background-color: #1a73e8; border-radius: 4px"
                href="https://docs.google.com/document/d/%3$s/edit">Open</a><p>If you don't want to receive files
                from this person, block the sender from Drive.</p><p class="address">Google LLC, 1600 Amphitheatre
                Parkway, Mountain View, CA 94043, USA</p></td></tr></table></div>
                <table class="legal" width="100%%" cellpadding="0"><tr><td style="font-size: 12px; color: #5f6368;
                border-top: thin solid #dadce0; padding: 16px 0"><p>You have received this message because the
                person above shared an item with this address. The item may contain links to other pages, which we
                do not examine one by one. If the item looks suspicious, open it in the list of shared items and
                choose to report abuse, spam or a violation of our terms. Blocked people can no longer share items
                with you, and what they shared before disappears from all of your lists and searches.</p><p
                class="tag">Collaborative documents, sheets and slides: create, edit and comment together with
                everyone, on a computer, a tablet or a telephone, with or without a connection. Nothing needs to
                be installed, and every change is saved at once.</p></td></tr></table>"""),
        /** Anyone can send an envelope with a message of his own. */
        SIGNATURE("docusign.net", "dse", "Complete with DocuSign: %2$s", """
                <table border="0" cellspacing="0" cellpadding="0" align="center" width="100%%"><tr><td></td><td
                width="640"> <table style="border-collapse: collapse; background-color: #ffffff; max-width:
                640px"><tr><td style="padding: 10px 24px"><img style="border: none"
                src="https://na3.docusign.net/Member/Images/email/Email_Logo.png" alt="DocuSign"></td></tr><tr><td
                style="padding: 0 24px 30px"><table role="presentation" align="center" style="background-color:
                #1e4ca1; color: #ffffff"><tr><td align="center">%1$s sent you a document to review and sign.</td>
                </tr><tr><td align="center"><a class="button"
                href="https://na3.docusign.net/Signing/EmailStart.aspx?a=%3$s&acct=1"><span>REVIEW
                DOCUMENT</span></a></td></tr></table></td></tr><tr><td style="font-size: 15px">%2$s</td>
                </tr><tr><td class="footer"><b>Do Not Share This Email</b> This email contains a secure link.
                Please do not share this email, link, or access code with
                others.</td></tr></table></td></tr></table>
                <table class="legal" width="100%%"><tr><td style="padding: 30px 24px 45px; background-color:
                #eaeaea; font-family: Helvetica, Arial; font-size: 14px"><p><b>Alternate signing
                method</b></p><p>Visit our home page, choose to open a document by its security code, and enter
                the code that you find at the end of the envelope.</p><p><b>About this service</b></p><p>Sign
                documents electronically in just minutes. It is safe, secure, and legally binding. Whether you are
                in an office, at home, on the go, or even across the globe, we provide a trusted solution for the
                management of digital transactions.</p><p><b>Questions about the document?</b></p><p>If you need
                to modify the document or have questions about its details, please reach out to the sender by
                writing to him directly. If you are having trouble signing, please visit the help with signing on
                our pages of support.</p></td></tr></table>"""),
        /** Anyone can invite to an event. From names the user, and only Sender the platform. */
        INVITATION("google.com", "calendar-notification", "Invitation: %2$s", """
                <span itemscope itemtype="http://schema.org/InformAction"><span style="display: none"
                itemprop="about" itemscope itemtype="http://schema.org/Person"><meta itemprop="description"
                content="Invitation from %1$s"></span><span itemprop="object" itemscope
                itemtype="http://schema.org/Event"><table cellspacing="0" cellpadding="0" border="0"
                role="presentation" align="center" style="width: 100%%" class="body-container"><tbody><tr><td><div
                class="main-container-inner" style="border: 1px solid #dadce0; border-radius: 8px; direction:
                rtl"><table class="right-rail" style="direction: ltr"><tr><td><h2 class="primary-text">%2$s</h2><a
                class="accent-button" href="https://meet.google.com/%3$s" itemprop="url">Join with a
                call</a></td></tr><tr><td class="grey-infobox-text"><h2>When</h2><time>Thursday at ten, Central
                European Time</time><h2>Guests</h2><p>%1$s - organizer</p><a
                href="https://calendar.google.com/calendar/event?action=VIEW&eid=%3$s">View all guest
                info</a></td></tr></table><table class="actions"><tr><td><h2>Reply</h2><a class="grey-button"
                href="https://calendar.google.com/calendar/event?action=RESPOND&eid=%3$s&rst=1">Yes</a><a
                class="grey-button" href="https://calendar.google.com/calendar/event?action=RESPOND&eid=%3$s&rst=2">
                No</a><a class="grey-button"
                href="https://calendar.google.com/calendar/event?action=RESPOND&eid=%3$s&rst=3">Maybe</a><a
                href="https://calendar.google.com/calendar/event?action=VIEW&eid=%3$s">More
                options</a></td></tr></table></div><table class="gray-footer" style="color: #70757a; font-size:
                12px"><tr><td><p>You are receiving this message because you are a guest of the event. To stop such
                messages, decline the event, or change the notices of this calendar in your settings. Whoever
                forwards this invitation lets any recipient answer the organizer, be added to the list of guests,
                invite others whatever the state of their own invitation, and change your
                answer.</p></td></tr></table></td></tr></tbody></table></span></span>""") {
            @Override
            byte[] notice(String name, String text, String id) {
                String mail = new String(mail(domain(), "jane@club.test", name, text, id), StandardCharsets.UTF_8);
                return ("Sender: Calendar <calendar-notification@google.com>\n" + mail)
                        .getBytes(StandardCharsets.UTF_8);
            }
        };

        private final String domain;
        private final String user;
        private final String subject;
        private final String body;

        Platform(String domain, String user, String subject, String body) {
            this.domain = domain;
            this.user = user;
            this.subject = subject;
            this.body = body;
        }

        String domain() {
            return domain;
        }

        byte[] mail(String signer, String from, String name, String text, String id) {
            return ("Authentication-Results: mx.example.org; dkim=pass header.d=" + signer + "\nFrom: <" + from
                    + ">\nSubject: " + subject.formatted(name, text, id)
                    + "\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n<html><body>"
                    + body.formatted(name, text, id) + "</body></html>\n").getBytes(StandardCharsets.UTF_8);
        }

        byte[] notice(String name, String text, String id) {
            return mail(domain, user + "@" + domain, name, text, id);
        }

        byte[] genuine() {
            return notice("Jane Miller", "Tickets for the theater", "a41bd");
        }

        byte[] otherGenuine() {
            return notice("Tom", "Minutes of the board meeting in May", "77e0c");
        }

        byte[] phishing() {
            return notice("Billing Team", "Your account was charged $799, call +1 805 555 0100 to cancel", "00f3a");
        }

        /** A copy of the notice that another server sends. */
        byte[] copy(String text) {
            return mail("evil-site.com", "a@evil-site.com", "Billing Team", text, "9c1d2");
        }
    }

    @TempDir
    Path folder;

    private StorageServer server = new StorageServer(StorageConfig.of(Path.of("unused")));

    @AfterEach
    void stop() {
        server.close();
    }

    /** Starts a storage, and returns rules with all kinds. */
    private String rules(String kinds) throws Exception {
        server = new StorageServer(StorageConfig.of(folder.resolve("data")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback()));
        return Files.writeString(folder.resolve("weir.conf"), """
                group "fuzzy" { symbols { FUZZY_DENIED { weight = 12 } FUZZY_WHITE { weight = -2 } } }
                fuzzy_check { rule "one" {
                  servers = "127.0.0.1:%d"; timeout = 1s; retransmits = 5; read_only = false; hits_limit = 20;
                  algorithm = mumhash;
                  kinds { %s source {} chars {} links {} picture {} subject {} }
                  fuzzy_map { FUZZY_DENIED { flag = 1 } FUZZY_WHITE { flag = 3 } }
                } }
                """.formatted(server.start().getPort(), kinds)).toString();
    }

    private Run learn(String rules, String symbol, byte[] mail) throws Exception {
        return Run.weir("learn", "-c", rules, "-S", symbol, "-w", "20",
                Files.write(folder.resolve("learned.eml"), mail).toString());
    }

    /** Returns the option that sums the hits by kinds; empty if there are none. */
    private String kinds(String rules, byte[] mail) throws Exception {
        Run run = Run.weir("check", "--json", "-c", rules, Files.write(folder.resolve("mail.eml"), mail).toString());
        assertThat(run.err()).isEmpty();
        Matcher option = Pattern.compile("kinds=[^\"]*").matcher(run.out());
        return option.find() ? option.group() : "";
    }

    @ParameterizedTest
    @EnumSource
    void phishingThroughAPlatformDoesNotHitItsGenuineNotices(Platform platform) throws Exception {
        String rules = rules(TRUSTED);
        assertThat(learn(rules, "FUZZY_DENIED", platform.phishing()).out())
                .contains("the sender is authenticated as " + platform.domain + ", which is exempt");
        assertThat(kinds(rules, platform.genuine())).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aCopyOfANoticeHitsOtherCopiesAndNotTheGenuineNotice(Platform platform) throws Exception {
        String rules = rules(TRUSTED);
        learn(rules, "FUZZY_DENIED", platform.copy("Your account was charged $799"));
        assertThat(kinds(rules, platform.copy("An invoice of $420 is due"))).isNotEmpty();
        assertThat(kinds(rules, platform.genuine())).isEmpty();
    }

    /** Where no trusted host says who is authenticated, one learned notice protects the others. */
    @ParameterizedTest
    @EnumSource
    void withoutATrustedHostALearnedNoticeProtectsTheOthers(Platform platform) throws Exception {
        String rules = rules("trusted_hosts = \"mx.elsewhere.example\";");
        learn(rules, "FUZZY_DENIED", platform.phishing());
        assertThat(kinds(rules, platform.genuine())).as("the template is the same").isNotEmpty();
        learn(rules, "FUZZY_WHITE", platform.otherGenuine());
        assertThat(kinds(rules, platform.genuine())).isEmpty();
    }
}
