"""The words that errors of services are made of: those of HTTP, JSON, validation and this interface.

English and Portuguese, without accents, in lower case. None of them is anybody's name.
"""

from typing import Final

_TEXT: Final = """
a access account accountid accounts acesso address agency algo allowed already amount an and anterior ao api aplicacao
application are as at attempt autenticacao authenticated authentication authorization autorizacao autorizado available
bad balance banco bank be because been before being bic big blank body busy by call campo campos can cannot caracteres
change character characters chave check cnpj code codigo com conflict connect connection conta contact contactid
contacts contas contato contatos content conteudo corpo could cpf create created credenciais credential credentials
currency da dados data database date day days de deadline delete deleted denied detail deve dias did digits disabled
do documento does down due duplicado duplicate duplicated e em email empty end endpoint enviada enviado era erro error
errors erros esperado esta excedido exceeded exist existe existing exists expected expirado expired expirou failed
failure falha falhou falta faltando favor favorite field fields file foi for foram forbidden format formato found from
gateway given gone grande had has have header horas host hour id in inactive incorrect indisponivel inesperado
inexistente informado instituicao institution insufficient internal interno invalid invalida invalido is it ja json
key large later least length letters limit limite list long maintenance mais malformed manutencao many mas match
maximo media mensagem message method metodo minimo minute minutes minutos missing more most muitas must na name nao
nenhum nenhuma no nome non none nos not novamente null number numero object obrigatoria obrigatorio occurred ocorreu
of offline on one only operation or ou out owner pagamento page pages pagina para param parameter parameters parametro
parse password path payload payment paymentbatch payments pela pelo pequeno permissao permission permitido pix please
por postal processar processing proibido provided proxy que query quota rate reached read reason recebida recebido
recurso recusado refused register registered registrada registrado rejected relatorio report reportid request
requested requests required requisicao requisicoes resource response restart retry route row rows saldo schema se
second seconds segundos sem sendo senha server service servico servidor short should signature sistema size small
sobrecarregado solicitacao split splitid start status string such supplied supply supported system tarde tax taxid
tempo temporariamente temporarily tente text than that the there this time timed timeout title titular to token too
trace try type um uma unable unauthorized unavailable unexpected unknown unprocessable unreachable unsupported update
upgrade upstream url user usuario validate validation valido valor value vazia vazio version was webhook webhookurl
were while with within without wrong you your
"""
WORDS: Final = frozenset(_TEXT.split())
