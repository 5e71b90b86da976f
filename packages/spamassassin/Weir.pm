=head1 NAME

Mail::SpamAssassin::Plugin::Weir - ask Weir whether a mail, or one like it, is known

=head1 SYNOPSIS

  loadplugin Mail::SpamAssassin::Plugin::Weir

  full  WEIR_COPY    eval:check_weir('copy', 50)
  full  WEIR_NEAR    eval:check_weir('near')
  full  WEIR_WANTED  eval:check_weir('wanted')

=head1 DESCRIPTION

Weir keeps fuzzy hashes of mail. This plugin sends each mail once to the HTTP interface of Weir, early in the scan,
and goes on with the other rules while Weir answers. C<spamassassin --report> and C<--revoke>, C<spamc -C> and
C<spamc -L> teach Weir. It needs no Perl module beyond those of SpamAssassin 4.0 and Perl itself.

docs/integrate/spamassassin.md of Weir is the guide.

=cut

package Mail::SpamAssassin::Plugin::Weir;

use strict;
use warnings;
use re 'taint';

use JSON::PP ();
use Socket qw(AF_INET AF_INET6 AF_UNIX AI_NUMERICSERV SOCK_STREAM inet_pton pack_sockaddr_un);
use Time::HiRes ();

use Mail::SpamAssassin::Conf;
use Mail::SpamAssassin::Logger;
use Mail::SpamAssassin::Plugin;
use Mail::SpamAssassin::Util qw(untaint_var);

our @ISA = qw(Mail::SpamAssassin::Plugin);

# How long a scan waits at its start while the server takes no byte of the mail. Then the rules go on, and the rest is
# sent between them. A server in the same network takes a mail in a few milliseconds.
my $SEND_PATIENCE = 0.25;

# A process leaves a server out for this long after it kept a mail waiting for longer than $SLOW_FAILURE. A server that
# fails at once costs nothing, so it is asked again for the next mail.
my $LEFT_OUT = 30;
my $SLOW_FAILURE = 0.5;

# A process logs that Weir does not answer once in this time. Each failure is a debug line as well.
my $LOG_INTERVAL = 60;

my $MAX_ADDRESSES = 16;
my $MAX_SYMBOLS = 64;
my $MAX_MATCHES = 256;
my $MAX_TAG = 1000;
my $MAX_LOGGED = 200;

# The types of hashes that Rspamd has as well. Each other type is a kind that only Weir has.
my %COPY_TYPES = map { $_ => 1 } qw(txt img bin content html htmld);

my $SYMBOL = qr/^[A-Za-z0-9_.-]{1,64}\z/;
my $REFUSED = qr/^FUZZY_(?:BLOCKED|RATELIMITED|FORBIDDEN|ENCRYPTION_REQUIRED)\z/;

my %WANTED_OR_SPAM = (copy => 1, near => 1, wanted => -1);

sub new {
  my ($class, $main) = @_;
  my $self = $class->SUPER::new($main);
  bless($self, ref($class) || $class);
  $self->{health} = {};
  $self->{addresses} = {};
  $self->register_eval_rule('check_weir', $Mail::SpamAssassin::Conf::TYPE_FULL_EVALS);
  # Before Bayes, which forgets a mail that it learned as the opposite while it learns it: that is not to reach Weir.
  $self->register_method_priority('learn_message', -10);
  $self->set_config($main->{conf});
  return $self;
}

sub set_config {
  my ($self, $conf) = @_;

=head1 RULES

=over 4

=item full RULE eval:check_weir(WHAT [, FROM [, BELOW [, SYMBOL ...]]])

WHAT is C<copy> for spam that Weir knows by a hash that Rspamd has as well, C<near> for spam that it knows only by the
kinds of hashes that Rspamd does not have, or C<wanted> for wanted mail. FROM and BELOW limit the certainty, in percent
of a whole hit: it grows with the number of reports and with the likeness. SYMBOL names the lists of Weir that count;
without one, all do.

=back

=head1 TAGS

C<_WEIRHITS_> lists the symbols of Weir with their scores and hits (flag, digest, probability, kind); C<none> if Weir knows
nothing like the mail, C<no answer> if it did not answer, C<left out> if it did not answer shortly before, and nothing
if it was not to be asked.

=head1 USER SETTINGS

=over 4

=item use_weir (0|1)		(default: 1)

Whether to ask and teach Weir.

=back

=head1 ADMINISTRATOR SETTINGS

=over 4

=item weir_servers SERVER ...		(default: 127.0.0.1:11336)

Places of Weir's HTTP interface: C<HOST:PORT>, C<[IPV6]:PORT> or C<unix:/PATH>, separated by blanks or commas. They are
asked in this order until one answers. Names are looked up once, when SpamAssassin starts. With C<spamassassin -L> and
C<spamd -L>, Weir is asked only if all places are on this machine.

=item weir_timeout n		(default: 5s)

How long to wait for all servers together. A server that lets a mail wait is left out for 30 seconds.

=item weir_max_size n		(default: 10485760)

Larger mails are neither sent nor learned. In bytes.

=item weir_password TEXT

The password of Weir's controller, if it requires one. Keep the file that has it from other readers.

=item weir_report_symbol SYMBOL		(default: FUZZY_DENIED)

The list of Weir that learns reported spam.

=item weir_report_weight n		(default: 1)

How much one report counts.

=item weir_wanted_symbol SYMBOL		(default: none)

The list of Weir that learns revoked mail and ham. Without one, such mail is only removed from C<weir_report_symbol>.

=item weir_learn (0|1)		(default: 1)

Whether C<spamc -L> and C<sa-learn> teach Weir as they teach Bayes. What SpamAssassin learns by itself never counts.

=back

=cut

  my $bool = $Mail::SpamAssassin::Conf::CONF_TYPE_BOOL;
  my $string = $Mail::SpamAssassin::Conf::CONF_TYPE_STRING;
  my $numeric = $Mail::SpamAssassin::Conf::CONF_TYPE_NUMERIC;
  my $duration = $Mail::SpamAssassin::Conf::CONF_TYPE_DURATION;
  my $symbol = _checked(qr/^[A-Za-z0-9_]{1,64}\z/, 'the name of a symbol: letters, digits and _');
  $conf->{parser}->register_commands([
    { setting => 'use_weir', type => $bool, default => 1 },
    { setting => 'weir_servers', is_admin => 1, type => $string, default => '127.0.0.1:11336', code => sub {
        my ($conf, $key, $value) = @_;
        my @places = split(/[\s,]+/, $value);
        return $Mail::SpamAssassin::Conf::MISSING_REQUIRED_VALUE if !@places;
        foreach my $place (@places) {
          next if _place($place);
          warn "config: $key: expected HOST:PORT, [IPV6]:PORT or unix:/PATH, found \"$place\"\n";
          return $Mail::SpamAssassin::Conf::INVALID_VALUE;
        }
        $conf->{$key} = join(' ', @places);
      } },
    { setting => 'weir_timeout', is_admin => 1, type => $duration, default => 5 },
    { setting => 'weir_max_size', is_admin => 1, type => $numeric, default => 10 * 1024 * 1024,
      code => _checked(qr/^\d{1,10}\z/, 'a number of bytes') },
    # The parser prints the lines that it rejects, so no password is rejected here.
    { setting => 'weir_password', is_admin => 1, type => $string, default => '' },
    { setting => 'weir_report_symbol', is_admin => 1, type => $string, default => 'FUZZY_DENIED', code => $symbol },
    { setting => 'weir_report_weight', is_admin => 1, type => $numeric, default => 1,
      code => _checked(qr/^[1-9]\d{0,5}\z/, 'a whole number from 1 to 999999') },
    { setting => 'weir_wanted_symbol', is_admin => 1, type => $string, default => '', code => $symbol },
    { setting => 'weir_learn', is_admin => 1, type => $bool, default => 1 },
  ]);
}

# Returns a reader of a setting that has a pattern.
sub _checked {
  my ($pattern, $expected) = @_;
  return sub {
    my ($conf, $key, $value) = @_;
    return $Mail::SpamAssassin::Conf::MISSING_REQUIRED_VALUE if !defined $value || $value eq '';
    if ($value !~ $pattern) {
      warn "config: $key: expected $expected\n";
      return $Mail::SpamAssassin::Conf::INVALID_VALUE;
    }
    $conf->{$key} = untaint_var($value);
  };
}

# Starts the requests before the slower rules, as the DNS lookups are.
sub finish_parsing_start {
  my ($self, $opts) = @_;
  my $conf = $opts->{conf};
  foreach my $rule (@{ $conf->{eval_to_rule}->{check_weir} || [] }) {
    $conf->{priority}->{$rule} = -100;
  }
}

# Looks up names before spamd forks.
sub finish_parsing_end {
  my ($self, $opts) = @_;
  $self->_servers($opts->{conf});
}

###########################################################################
# Servers

# Returns the parts of a place, or nothing if it is none.
sub _place {
  my ($text) = @_;
  local ($1, $2);
  return { path => untaint_var($1) } if $text =~ m{^unix:(/[\x21-\x7e]{1,100})\z};
  return if $text !~ /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253})):(\d{1,5})\z/;
  my ($host, $port) = (defined $1 ? $1 : $2, $3);
  return if $port < 1 || $port > 65535;
  return { host => untaint_var($host), port => untaint_var($port) };
}

# Returns the addresses of the servers, looked up once for each value of the setting.
sub _servers {
  my ($self, $conf) = @_;
  my $setting = $conf->{weir_servers};
  return @{ $self->{addresses}->{$setting} } if $self->{addresses}->{$setting};
  my @servers;
  foreach my $text (split(/ /, $setting)) {
    my $place = _place($text) or next;
    if (defined $place->{path}) {
      push @servers, { name => $text, family => AF_UNIX, address => pack_sockaddr_un($place->{path}), local => 1 };
      next;
    }
    my ($error, @found) = Socket::getaddrinfo($place->{host}, $place->{port},
      { socktype => SOCK_STREAM, flags => AI_NUMERICSERV });
    if ($error) {
      info("weir: %s is not found and not asked until the next start: %s", $text, $error);
      next;
    }
    push @servers, map { { name => $text, family => $_->{family}, address => untaint_var($_->{addr}),
      local => _is_loopback($_) } } @found;
  }
  if (@servers > $MAX_ADDRESSES) {
    info("weir: weir_servers has %s addresses, of which the first %s are asked", scalar(@servers), $MAX_ADDRESSES);
    splice(@servers, $MAX_ADDRESSES);
  }
  $self->{addresses}->{$setting} = \@servers;
  return @servers;
}

sub _is_loopback {
  my ($found) = @_;
  return (Socket::unpack_sockaddr_in6($found->{addr}))[1] eq inet_pton(AF_INET6, '::1')
    if $found->{family} == AF_INET6;
  return $found->{family} == AF_INET
    && unpack('C', (Socket::unpack_sockaddr_in($found->{addr}))[1]) == 127;
}

# Returns the servers; none if Weir is not to be asked.
sub _permitted {
  my ($self) = @_;
  my $conf = $self->{main}->{conf};
  return if !$conf->{use_weir};
  my @servers = $self->_servers($conf);
  if ($self->{main}->{local_tests_only} && grep { !$_->{local} } @servers) {
    dbg("weir: local tests only, and not all servers are on this machine");
    return;
  }
  return @servers;
}

# A message that only warms the rules up must not tell the processes to come which servers are away.
sub compile_now_finish {
  my ($self) = @_;
  $self->{health} = {};
  delete @$self{qw(complained silenced away)};
}

sub _now { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) }

# Begins a request. The fields come from the settings and from this file, never from the mail.
sub _request {
  my ($self, $servers, $path, $body, %with) = @_;
  my $conf = $self->{main}->{conf};
  my %fields = %{ $with{fields} || {} };
  $fields{Password} = $conf->{weir_password} if $conf->{weir_password} ne '';
  my $head = "POST $path HTTP/1.0\r\nContent-Length: " . length($body) . "\r\n";
  foreach my $name (sort keys %fields) {
    if ($fields{$name} !~ /^[\x20-\x7e]{1,1024}\z/) {
      $self->_complain("the value of $name has characters that HTTP does not have, so Weir is not asked");
      return;
    }
    $head .= "$name: $fields{$name}\r\n";
  }
  my $timeout = $conf->{weir_timeout};
  $timeout = $with{timeout} if defined $with{timeout} && $with{timeout} < $timeout;
  return Mail::SpamAssassin::Plugin::Weir::Request->new(servers => $servers, head => "$head\r\n", body => $body,
    deadline => _now() + $timeout, change => $with{change}, failed => sub {
      my ($server, $seconds) = @_;
      $self->{health}->{ $server->{address} } = _now() + $LEFT_OUT if $seconds > $SLOW_FAILURE;
    });
}

# Logs what an administrator should know, once in a while. Returns whether it did.
sub _complain {
  my ($self, $text) = @_;
  dbg("weir: %s", $text);
  my $now = _now();
  if (defined $self->{complained} && $now - $self->{complained} < $LOG_INTERVAL) {
    $self->{silenced}++;
    return 0;
  }
  info("weir: %s%s", $text, $self->{silenced} ? " ($self->{silenced} further failures since the last line)" : '');
  $self->{complained} = $now;
  $self->{silenced} = 0;
  return 1;
}

# Returns text of a server that is safe in a log line.
sub _clean {
  my ($text) = @_;
  return '' if !defined $text || ref $text;
  $text = substr($text, 0, 200);
  $text =~ s/[^\x20-\x7e]/?/g;
  return $text;
}

# Returns the object of an answer, or nothing.
sub _object {
  my ($request) = @_;
  my $object = eval { JSON::PP->new->utf8->max_depth(16)->decode($request->{content}) };
  return ref $object eq 'HASH' ? $object : undef;
}

# Returns the bytes of a mail that may be sent, or nothing.
sub _sendable {
  my ($self, $text) = @_;
  my $mail = $$text;
  my $max = $self->{main}->{conf}->{weir_max_size};
  if (!defined $mail || $mail eq '' || !utf8::downgrade($mail, 1) || length($mail) > $max) {
    dbg("weir: the mail is empty, or larger than weir_max_size (%s bytes)", $max);
    return;
  }
  return $mail;
}

###########################################################################
# Checks

# The eval rule. The first of a mail begins the request, and all wait for it.
sub check_weir {
  my ($self, $pms, $full, $what, $from, $below, @symbols) = @_;
  if (!defined $what || !$WANTED_OR_SPAM{$what}) {
    die "weir: check_weir: expected 'copy', 'near' or 'wanted', found '" . _clean($what) . "'\n";
  }
  $from = 0 if !defined $from;
  $below = 101 if !defined $below;
  if (my ($wrong) = grep { !/^\d{1,3}\z/ } $from, $below) {
    die "weir: check_weir: expected a percentage, found '" . _clean($wrong) . "'\n";
  }
  my $rule = { name => $pms->get_current_eval_rule_name(), what => $what, from => $from, below => $below,
    symbols => { map { $_ => 1 } @symbols } };
  my $check = $pms->{weir_check} ||= $self->_begin($pms, $full);
  if ($check->{request}) {
    push @{ $check->{rules} }, $rule;
    return; # undef: the answer is to come
  }
  return $self->_applies($pms, $check, $rule) ? 1 : 0;
}

sub _begin {
  my ($self, $pms, $full) = @_;
  my $timer = $self->{main}->time_method('check_weir');
  $pms->{tag_data}->{WEIRHITS} = '';
  my $check = { rules => [], hits => {} };
  my @servers = $self->_permitted() or return $check;
  my $mail = $self->_sendable($full);
  return $check if !defined $mail;
  my $now = _now();
  @servers = grep { ($self->{health}->{ $_->{address} } || 0) <= $now } @servers;
  if (!@servers) {
    dbg("weir: all servers are left out, because they did not answer shortly before");
    $pms->set_tag('WEIRHITS', 'left out');
    return $check;
  }
  my $left = $pms->{master_deadline} ? $pms->{master_deadline} - Time::HiRes::time() : undef;
  my $request = $self->_request(\@servers, '/checkv2', $mail, timeout => $left) or return $check;
  $request->send_for($SEND_PATIENCE);
  if ($request->{finished}) {
    $self->_end($pms, $check, $request);
  } else {
    $check->{request} = $request;
  }
  return $check;
}

sub check_tick {
  my ($self, $opts) = @_;
  $self->_harvest($opts->{permsgstatus}, 0);
}

sub check_cleanup {
  my ($self, $opts) = @_;
  $self->_harvest($opts->{permsgstatus}, 1);
}

# Takes what has arrived. At the end of a scan it waits for the answer, up to the time limit.
sub _harvest {
  my ($self, $pms, $is_end) = @_;
  my $check = $pms->{weir_check};
  return if !$check || !$check->{request};
  my $timer = $self->{main}->time_method('check_weir');
  my $request = $check->{request};
  my $given_up = $pms->{deadline_exceeded} || $pms->{shortcircuited};
  $request->advance($is_end && !$given_up);
  return if !$request->{finished} && !$is_end && !$given_up;
  delete $check->{request};
  if ($request->{finished}) {
    $self->_end($pms, $check, $request);
  } else {
    dbg("weir: the scan ends before the answer");
    $request->close();
  }
  foreach my $rule (@{ $check->{rules} }) {
    if ($self->_applies($pms, $check, $rule)) {
      $pms->got_hit($rule->{name}, '', ruletype => 'eval');
    } else {
      $pms->rule_ready($rule->{name});
    }
  }
}

# Reads the answer to a check.
sub _end {
  my ($self, $pms, $check, $request) = @_;
  my $answer = $request->{error} ? undef : _object($request);
  my $symbols = $answer ? $answer->{symbols} : undef;
  if (ref $symbols ne 'HASH') {
    my $is_logged = $self->_complain($request->{error}
      || "$request->{server}->{name}: the answer is not that of a scan");
    $self->{away} = 1 if $is_logged;
    $pms->set_tag('WEIRHITS', 'no answer');
    return;
  }
  info("weir: %s: scans have answers again", $request->{server}->{name}) if delete $self->{away};
  my @tag;
  my $is_refused = 0;
  my $matches = _matches($answer->{matches});
  foreach my $name ((sort keys %$symbols)[0 .. _least(scalar(keys %$symbols), $MAX_SYMBOLS) - 1]) {
    if ($name =~ $REFUSED) {
      $self->_complain("$request->{server}->{name}: the storage refused: $name");
      $is_refused = 1;
    }
    my $hit = _hit($symbols->{$name}, $matches->{$name}) or next;
    $check->{hits}->{$name} = $hit;
    push @tag, sprintf('%s(%.2f)[%s]', $name, $hit->{score}, join(',', @{ $hit->{matches} }));
  }
  my $unanswered = $answer->{unanswered};
  if (ref $unanswered eq 'ARRAY' && @$unanswered) {
    $self->_complain("$request->{server}->{name}: a storage did not answer: " . _clean($unanswered->[0]));
    $is_refused = 1;
  }
  dbg("weir: %s did not hash the mail: %s", $request->{server}->{name}, _clean($answer->{not_hashed}))
    if defined $answer->{not_hashed};
  my $tag = @tag ? untaint_var(substr(join(' ', @tag), 0, $MAX_TAG)) : $is_refused ? 'no answer' : 'none';
  dbg("weir: %s: %s", $request->{server}->{name}, $tag);
  $pms->set_tag('WEIRHITS', $tag);
}

sub _least { return $_[0] < $_[1] ? $_[0] : $_[1] }

# Returns the matches of an answer, by symbol, each as FLAG:DIGEST:PROBABILITY:KIND.
sub _matches {
  my ($list) = @_;
  my %of;
  return \%of if ref $list ne 'ARRAY';
  foreach my $match (@$list[0 .. _least(scalar(@$list), $MAX_MATCHES) - 1]) {
    next if ref $match ne 'HASH';
    my ($symbol, $flag, $digest, $kind) = map { defined && !ref ? $_ : '' } @$match{qw(symbol flag digest kind)};
    next if $symbol !~ $SYMBOL || $flag !~ /^\d{1,10}\z/ || $digest !~ /^[0-9a-f]{128}\z/
      || $kind !~ /^[a-z]{1,16}\d{0,3}\z/;
    my $text = sprintf('%s:%s:%.2f:%s', $flag, substr($digest, 0, 10), _number($match->{probability}), $kind);
    push @{ $of{$symbol} }, { text => $text, is_copy => $COPY_TYPES{$kind} };
  }
  return \%of;
}

# Returns a symbol that counts; nothing for any other, such as that of a disputed mail.
sub _hit {
  my ($symbol, $matches) = @_;
  return if ref $symbol ne 'HASH' || !$matches;
  my ($score, $weight) = map { _number($symbol->{$_}) } qw(score metric_score);
  return if !$score || !$weight;
  return { score => $score, sign => $score > 0 ? 1 : -1, is_copy => scalar(grep { $_->{is_copy} } @$matches),
    matches => [map { $_->{text} } @$matches], percent => 100 * _least(abs($score / $weight), 1) };
}

# Returns a number of JSON, or 0.
sub _number {
  my ($value) = @_;
  return 0 if !defined $value || ref $value || $value !~ /^-?\d{1,6}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,2})?\z/;
  return untaint_var($value) + 0;
}

# Returns whether a rule applies to what Weir knows. If so, the report of the mail names the hits.
sub _applies {
  my ($self, $pms, $check, $rule) = @_;
  my @hits = grep { $_->{sign} == $WANTED_OR_SPAM{ $rule->{what} } }
    map { $check->{hits}->{$_} } grep { !%{ $rule->{symbols} } || $rule->{symbols}->{$_} } keys %{ $check->{hits} };
  # A mail is a copy or near, so that a rule for each does not count it twice.
  my $is_copy = grep { $_->{is_copy} } @hits;
  return 0 if $rule->{what} eq 'near' ? $is_copy : $rule->{what} eq 'copy' ? !$is_copy : 0;
  my $percent = 0;
  foreach my $hit (@hits) {
    $percent = $hit->{percent} if $hit->{percent} > $percent;
  }
  return 0 if $percent <= 0 || $percent < $rule->{from} || $percent >= $rule->{below};
  $pms->test_log(untaint_var(substr(join(' ', map { @{ $_->{matches} } } @hits), 0, $MAX_LOGGED)), $rule->{name});
  return 1;
}

###########################################################################
# Learning

sub plugin_report {
  my ($self, $options) = @_;
  my $report = $options->{report};
  return if $report->{options}->{dont_report_to_weir};
  my @servers = $self->_permitted() or return;
  $report->{report_available} = 1;
  if ($self->_learn(\@servers, $options->{msg}, $options->{text}, 'spam')) {
    $report->{report_return} = 1;
    info('reporter: spam reported to Weir');
  } else {
    info('reporter: could not report spam to Weir');
  }
}

sub plugin_revoke {
  my ($self, $options) = @_;
  my $revoke = $options->{revoke};
  return if $revoke->{options}->{dont_report_to_weir};
  my @servers = $self->_permitted() or return;
  $revoke->{revoke_available} = 1;
  if ($self->_learn(\@servers, $options->{msg}, $options->{text}, 'ham')) {
    $revoke->{revoke_return} = 1;
    info('reporter: spam revoked from Weir');
  } else {
    info('reporter: could not revoke spam from Weir');
  }
}

# SpamAssassin is about to learn what it decided by itself. A storage must not learn from its own hits.
sub autolearn {
  my ($self, $opts) = @_;
  $opts->{permsgstatus}->{msg}->{weir_autolearn} = 1;
}

# What is learned for Bayes: by spamc -L, sa-learn, and before a report.
sub learn_message {
  my ($self, $params) = @_;
  $self->_learn_locally($params->{msg}, $params->{isspam} ? 'spam' : 'ham');
  return; # undef: this says nothing about Bayes
}

sub forget_message {
  my ($self, $params) = @_;
  $self->_learn_locally($params->{msg}, 'forget') if !$params->{msg}->{weir_learned};
  return;
}

sub _learn_locally {
  my ($self, $msg, $as) = @_;
  return if !$self->{main}->{conf}->{weir_learn} || $msg->{weir_autolearn};
  my @servers = $self->_permitted() or return;
  my $text = $self->{main}->remove_spamassassin_markup($msg);
  $self->_learn(\@servers, $msg, \$text, $as);
}

# Teaches Weir one mail, once: a report comes after the same mail was learned for Bayes. Returns whether it succeeded.
sub _learn {
  my ($self, $servers, $msg, $text, $as) = @_;
  return $msg->{weir_learned}->{$as} if defined $msg->{weir_learned}->{$as};
  my $timer = $self->{main}->time_method('weir_learn');
  my $conf = $self->{main}->{conf};
  my ($spam, $wanted) = ($conf->{weir_report_symbol}, $conf->{weir_wanted_symbol});
  my @changes = $as eq 'spam' ? (['/fuzzyadd', $spam]) : (['/fuzzydel', $spam]);
  push @changes, [$as eq 'ham' ? '/fuzzyadd' : '/fuzzydel', $wanted] if $wanted ne '' && $as ne 'spam';
  my $mail = $self->_sendable($text);
  my $is_learned = defined $mail ? 1 : 0;
  $self->_complain("a mail is not learned, because it is empty or larger than weir_max_size") if !$is_learned;
  foreach my $change ($is_learned ? @changes : ()) {
    $is_learned = 0 if !$self->_change($servers, $mail, @$change);
  }
  $msg->{weir_learned}->{$as} = $is_learned;
  return $is_learned;
}

sub _change {
  my ($self, $servers, $mail, $path, $symbol) = @_;
  my %fields = (Symbol => $symbol);
  $fields{Weight} = $self->{main}->{conf}->{weir_report_weight} if $path eq '/fuzzyadd';
  local $1;
  my $user = $self->{main}->{username};
  $fields{User} = $1 if defined $user && $user =~ /^([A-Za-z0-9._@+-]{1,64})\z/;
  my $request = $self->_request($servers, $path, $mail, fields => \%fields, change => 1) or return 0;
  $request->advance(1);
  my $answer = $request->{error} ? undef : _object($request);
  my $is_done = $answer && $answer->{success};
  my $what = "$path of $symbol";
  if ($is_done) {
    dbg("weir: %s: %s done", $request->{server}->{name}, $what);
  } else {
    $self->_complain("$what failed: " . ($request->{error} || 'the answer is not that of an update'));
  }
  return $is_done;
}

sub has_check_weir { 1 }

###########################################################################
# One request over HTTP to the first of some servers that answers. It never blocks except in select, up to a deadline.
# It is finished with the content of an answer, or with an error.
#
# The plugins for Pyzor and Razor fork a process for each mail, because their clients block. A socket that does not block
# needs no process: fifty scans at once stay fifty processes, and there is no child to wait for or to kill.

package Mail::SpamAssassin::Plugin::Weir::Request;

use strict;
use warnings;
use re 'taint';

use Errno qw(EAGAIN EINPROGRESS EINTR EWOULDBLOCK);
use IO::Handle ();
use Socket qw(SOCK_STREAM SOL_SOCKET SO_ERROR);

# The largest answer, with its head. An answer to learning has 128 digits for each hash.
my $MAX_ANSWER = 256 * 1024;
my $MAX_HEAD = 16 * 1024;
my $CHUNK = 64 * 1024;

sub new {
  my ($class, %with) = @_;
  my $self = bless({ %with, servers => [@{ $with{servers} }] }, $class);
  $self->_next('');
  return $self;
}

# Sends the request, as long as the server takes it without a pause longer than this.
sub send_for {
  my ($self, $patience) = @_;
  my $deadline = $self->_now() + $patience;
  while (!$self->{finished}) {
    my $before = $self->{sent};
    $self->_move();
    return if $self->{finished} || $self->_is_sent();
    my $now = $self->_now();
    $deadline = $now + $patience if $self->{sent} > $before;
    return if $now >= $deadline;
    $self->_wait($deadline - $now);
  }
}

# Sends and reads what is possible now; with a true argument, it waits until the end.
sub advance {
  my ($self, $is_patient) = @_;
  while (!$self->{finished}) {
    $self->_move();
    return if $self->{finished};
    my $left = $self->{attempt_deadline} - $self->_now();
    if ($left <= 0) {
      $self->_failed('no answer in time');
    } elsif ($is_patient) {
      $self->_wait($left);
    } else {
      return;
    }
  }
}

sub close {
  my ($self) = @_;
  close(delete $self->{socket}) if $self->{socket};
}

sub _now { return Mail::SpamAssassin::Plugin::Weir::_now() }

sub _is_sent {
  my ($self) = @_;
  return $self->{sent} == length($self->{head}) + length($self->{body});
}

# Waits until the socket can do what it has to do next.
sub _wait {
  my ($self, $seconds) = @_;
  my $bits = '';
  vec($bits, fileno($self->{socket}), 1) = 1;
  my $is_writing = !$self->{connected} || (!$self->_is_sent() && !$self->{deaf});
  select(my $read = $bits, my $write = $is_writing ? $bits : undef, undef, $seconds);
}

# Gives up a server, and goes to the next one if the request may be repeated.
sub _failed {
  my ($self, $why) = @_;
  $self->close();
  $self->{failed}->($self->{server}, $self->_now() - $self->{begun});
  my $text = "$self->{server}->{name}: $why";
  if ($self->{change} && $self->_is_sent()) {
    # It may count already, so another server must not get it.
    $self->_finish("$text; the update may have counted");
  } else {
    $self->_next($text);
  }
}

# Takes a refusal: another server may answer a check, but a change is decided.
sub _refused {
  my ($self, $why) = @_;
  $self->close();
  my $text = "$self->{server}->{name}: $why";
  return $self->{change} ? $self->_finish($text) : $self->_next($text);
}

sub _finish {
  my ($self, $error) = @_;
  $self->close();
  $self->{error} = $error;
  $self->{finished} = 1;
}

# Connects to the next server. Each has an equal share of the time that is left.
sub _next {
  my ($self, $error) = @_;
  while (my $server = shift @{ $self->{servers} }) {
    my $now = $self->_now();
    my $left = $self->{deadline} - $now;
    if ($left <= 0) {
      last;
    }
    @$self{qw(server sent received connected deaf begun)} = ($server, 0, '', 0, 0, $now);
    $self->{attempt_deadline} = $now + $left / (1 + @{ $self->{servers} });
    if (socket(my $socket, $server->{family}, SOCK_STREAM, 0)) {
      $socket->blocking(0);
      $self->{socket} = $socket;
      return if ($self->{connected} = connect($socket, $server->{address})) || $!{EINPROGRESS};
    }
    $error = "$server->{name}: $!";
    $self->close();
  }
  $self->_finish($error || 'no answer in time');
}

# Does everything that the socket allows now.
sub _move {
  my ($self) = @_;
  local $SIG{PIPE} = 'IGNORE';
  if (!$self->{connected}) {
    my $write = '';
    vec($write, fileno($self->{socket}), 1) = 1;
    return if !select(undef, $write, undef, 0);
    local $! = unpack('i', getsockopt($self->{socket}, SOL_SOCKET, SO_ERROR));
    return $self->_failed("$!") if $!;
    $self->{connected} = 1;
  }
  $self->_write();
  $self->_read();
}

sub _write {
  my ($self) = @_;
  my $head = length($self->{head});
  while (!$self->_is_sent() && !$self->{deaf}) {
    my $is_head = $self->{sent} < $head;
    my $written = syswrite($self->{socket}, $is_head ? $self->{head} : $self->{body}, $CHUNK,
      $is_head ? $self->{sent} : $self->{sent} - $head);
    if (defined $written) {
      $self->{sent} += $written;
    } elsif ($!{EAGAIN} || $!{EWOULDBLOCK}) {
      return;
    } elsif (!$!{EINTR}) {
      # The server has closed, perhaps after an answer that says why.
      $self->{deaf} = 1;
    }
  }
}

sub _read {
  my ($self) = @_;
  while (1) {
    my $count = sysread($self->{socket}, $self->{received}, $CHUNK, length($self->{received}));
    if (defined $count) {
      return $self->_answered($count == 0) if $count == 0 || $self->_is_complete();
      return $self->_failed('the answer is too long') if length($self->{received}) > $MAX_ANSWER;
    } elsif ($!{EAGAIN} || $!{EWOULDBLOCK}) {
      return;
    } elsif (!$!{EINTR}) {
      return $self->_failed("$!");
    }
  }
}

# Returns whether the answer has as many bytes as its head says.
sub _is_complete {
  my ($self) = @_;
  my $length = $self->_head() // return 0;
  return defined $length->{content} && length($self->{received}) >= $length->{head} + $length->{content};
}

# Returns the status of the answer and the lengths of its parts, or nothing if the head has not arrived.
sub _head {
  my ($self) = @_;
  my $end = index(substr($self->{received}, 0, $MAX_HEAD), "\r\n\r\n");
  return if $end < 0;
  my ($first, @fields) = split(/\r\n/, substr($self->{received}, 0, $end));
  local ($1, $2);
  my %of = (head => $end + 4, status => $first =~ m{^HTTP/1\.[01] (\d{3})(?: |\z)} ? $1 : 0);
  foreach my $field (@fields) {
    next if $field !~ /^([A-Za-z-]+):[ \t]*(.*?)[ \t]*\z/;
    my ($name, $value) = (lc $1, $2);
    $of{content} = $value if $name eq 'content-length' && $value =~ /^\d{1,9}\z/;
    $of{encoded} = 1 if $name eq 'transfer-encoding';
  }
  return \%of;
}

# Decides about an answer that is complete, or that ends.
sub _answered {
  my ($self, $is_closed) = @_;
  my $of = $self->_head();
  return $self->_failed($self->_is_sent() ? 'closed without an answer' : 'closed before the mail was sent') if !$of;
  return $self->_failed('the answer is not HTTP that this client reads') if !$of->{status} || $of->{encoded};
  my $content = substr($self->{received}, $of->{head});
  if (defined $of->{content}) {
    return $self->_failed('the answer is incomplete') if length($content) < $of->{content};
    $content = substr($content, 0, $of->{content});
  }
  if ($of->{status} != 200) {
    my $text = JSON::PP->new->utf8->max_depth(16);
    my $reason = eval { $text->decode($content)->{error} };
    return $self->_refused("status $of->{status} " . Mail::SpamAssassin::Plugin::Weir::_clean($reason));
  }
  $self->{content} = $content;
  $self->_finish(undef);
}

1;
